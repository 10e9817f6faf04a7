package io.sparklance.spark.aliases

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{AnalysisException, Row}

import io.sparklance.spark.backfill.BackfillTables

/** Statements of lance-spark and Delta Lake that stand for procedures. */
final class PeerStatementsSuite extends BackfillTables {

  private def at(path: String) = s"lance.`$path`"

  private def version(path: String): Long = dataset(path).version

  test("ADD COLUMNS and UPDATE COLUMNS write what a view or a query says of rows, by their address") {
    val path = table(2)
    val before = names(path)
    sql(
      s"CREATE OR REPLACE TEMPORARY VIEW added AS SELECT _rowaddr, _fragid, x + 1 AS y, -x AS z, x FROM ${at(path)}"
    )
    assert(sql(s"ALTER TABLE ${at(path)} ADD COLUMNS y, z FROM added").head() == Row(3))
    assert(rows(load(path)) == (0L until 20L).map(i => Row(i, i * 10, i * 10 + 1, -i * 10)).toSet)
    assert(before.subsetOf(names(path)) && names(path).size == 4)
    // The query is taken as it is written, and changes only the rows and columns that are named.
    sql(
      s"""alter table '$path' update columns (`y`) from
         |  WITH v AS (SELECT *, _rowaddr FROM ${at(path)}) -- all
         |  SELECT _rowaddr, CAST(1.5e1 AS BIGINT) AS Y, 0L AS z /* no */, 'it''s; (' AS t FROM v WHERE id >= 18;""".stripMargin
    )
    assert(rows(load(path).select("y", "z").where("id > 16")) ==
      Set(Row(171, -170), Row(15, -180), Row(15, -190)))
    assert(sql(s"CALL lance.system.validate('$path')").count() == 0)
  }

  test("keys find the rows if the query has no address; others are NULL, or stay as they are") {
    val path = table(1)
    sql(
      s"ALTER TABLE ${at(path)} ADD COLUMN (w) ON (id) FROM VALUES (1L, 'a'), (2L, 'b'), (99L, 'c') AS v(ID, w)"
    )
    sql(s"ALTER TABLE ${at(path)} UPDATE COLUMNS w, x ON id, x FROM (SELECT 2L AS id, 20L AS x, 'B' AS w)")
    assert(rows(load(path).where("w IS NOT NULL").select("id", "x", "w")) ==
      Set(Row(1, 10, "a"), Row(2, 20, "B")))
    sql(
      s"CALL lance.system.update_columns('$path', map('x', 'n * 2'), query => 'SELECT 1L AS id, 4L AS n', keys => array('id'))"
    )
    assert(load(path).where("id = 1").head().getLong(1) == 8)
  }

  test("columns whose query does not fit are refused, and nothing is committed") {
    val path = table(1)
    val t = s"ALTER TABLE ${at(path)}"
    def own(columns: String) = s"SELECT _rowaddr, $columns FROM ${at(path)}"
    val cases = Seq(
      s"$t ADD COLUMNS (y) FROM SELECT id, x AS y FROM ${at(path)}" -> "ON (…) in SQL",
      s"$t ADD COLUMNS (x) FROM ${own("x")}" -> "has a column 'x' already",
      s"$t ADD COLUMNS (y) FROM ${own("x AS y")} WHERE id < 5" -> "need a value for each row",
      s"$t ADD COLUMNS (y) FROM ${own("rand() AS y")}" -> "not deterministic",
      s"$t ADD COLUMNS (s.a) FROM ${own("x AS y")}" -> "a field of a column",
      s"$t UPDATE COLUMNS (y) FROM ${own("x AS y")}" -> "no column 'y' to update",
      s"$t UPDATE COLUMNS (x) ON (id) FROM VALUES (1L, 1L), (1L, 2L) AS v(id, x)" -> "for the same row",
      s"$t UPDATE COLUMNS (x) ON (name) FROM VALUES (1L, 1L) AS v(id, x)" -> "",
      s"$t UPDATE COLUMNS (x) FROM VALUES (4294967296L, 1L) AS v(_rowaddr, x)" ->
        "does not exist in the version",
      s"$t UPDATE COLUMNS (x) FROM" ->
        "Write ALTER TABLE table UPDATE COLUMNS (a, b) [ON (key, …)] FROM query",
      s"CALL lance.system.add_columns('$path', map('y', 'x'), keys => array('id'))" -> "there is no 'query'",
      s"CALL lance.system.update_columns('$path', map('x', 'x'), 'id = 1', query => 'added')" ->
        "Filter the rows in the query"
    )
    cases.foreach { case (statement, said) => assert(refusal(sql(statement)).contains(said), statement) }
    val missing = intercept[AnalysisException](sql(s"$t ADD COLUMNS (y, q) FROM ${own("x AS y")}"))
    assert(missing.getCondition.startsWith("UNRESOLVED_COLUMN"))
    // A query is a query, and no other statement.
    Seq("DROP TABLE", "DELETE FROM", "TRUNCATE TABLE").foreach { verb =>
      val other =
        intercept[Exception with SparkThrowable](sql(s"$t UPDATE COLUMNS (x) FROM $verb ${at(path)}"))
      assert(other.getCondition == "PARSE_SYNTAX_ERROR", verb)
    }
    assert(version(path) == 1 && load(path).count() == 10)
  }

  test("settings of OPTIMIZE and VACUUM are those of lance-spark, each with an effect or refused by name") {
    val path = table(4)
    val t = at(path)
    assert(sql(s"OPTIMIZE $t WITH (target_rows_per_fragment = 20, materialize_deletions_threshold = 0.5)")
      .head().getAs[Long]("fragments_added") == 2)
    Seq(
      "OPTIMIZE" -> "num_threads = 4" -> "num_threads = …): leave it out",
      "OPTIMIZE" -> "max_rows_per_group = 4" -> "files have no groups of rows",
      "OPTIMIZE" -> "defer_index_remap = true" -> "skip_indices",
      "OPTIMIZE" -> "what = 1" -> "no setting 'what'. It has column_groups, ",
      "OPTIMIZE" -> "materialize_deletions = 2" -> "must be true or false, but is '2'",
      "OPTIMIZE" -> "max_source_rows = 1, MAX_SOURCE_ROWS = 2" -> "twice",
      "VACUUM" -> "before_version = x" -> "must be a number",
      "VACUUM" -> "older = 1" -> "no setting 'older'"
    ).foreach { case ((verb, settings), said) =>
      assert(refusal(sql(s"$verb $t WITH ($settings)")).contains(said), settings)
    }
    def removed(settings: String) = sql(s"VACUUM $t WITH ($settings)").head().getAs[Long]("old_versions")
    sql(s"ALTER TABLE $t CREATE TAG IF NOT EXISTS keep AS OF VERSION 2")
    assert(refusal(removed("before_version = 3, error_if_tagged_old_versions = true")).contains("keep"))
    assert(removed("before_version = 3, delete_unverified = TRUE") == 1)
    assert(removed("before_timestamp_millis = 1704067200000") == 0)
    assert(removed("before_timestamp_millis = 32503680000000") == 3)
    assert(dataFiles(path).nonEmpty && load(path).count() == 40)
  }

  test("SET UNENFORCED PRIMARY KEY sets a key, once, of columns that can be in one") {
    val path = freshPath()
    sql(
      s"CREATE TABLE ${at(path)} (id BIGINT NOT NULL, day DATE NOT NULL, n INT, s STRUCT<a: INT>) USING lance"
    )
    def set(columns: String) = sql(s"ALTER TABLE ${at(path)} SET UNENFORCED PRIMARY KEY $columns")
    Seq(
      "(n)" -> "NOT NULL",
      "(s.a)" -> "NOT NULL",
      "(id, id)" -> "twice",
      "(x)" -> "no field 'x'",
      "" -> "Write ALTER TABLE"
    )
      .foreach { case (columns, said) => assert(refusal(set(columns)).contains(said), columns) }
    assert(version(path) == 1)
    assert(set("(day, id)").head() == Row(2, Seq("day", "id")))
    assert(refusal(set("(id)")).contains("cannot be changed once it is set"))
    assert(sql(s"DESCRIBE HISTORY ${at(path)}").head().getAs[String]("operation") == "SET PRIMARY KEY")
  }

  test("tags and branches are named in the ways of lance-spark") {
    val path = table(2)
    val t = at(path)
    sql(s"ALTER TABLE $t CREATE BRANCH IF NOT EXISTS b AS OF VERSION 1")
    sql(s"ALTER TABLE $t CREATE BRANCH IF NOT EXISTS b")
    sql(s"ALTER TABLE $t CREATE TAG first AS OF BRANCH b")
    sql(s"ALTER TABLE $t CREATE TAG IF NOT EXISTS first AS OF BRANCH main VERSION 2")
    sql(s"ALTER TABLE $t CREATE TAG second AS OF BRANCH main VERSION 2")
    sql(s"ALTER TABLE $t CREATE TAG IF NOT EXISTS third AS OF TAG second")
    def count(tag: String) = sql(s"SELECT * FROM $t VERSION AS OF '$tag'").count()
    assert(Seq("b", "first", "second", "third").map(count) == Seq(10, 10, 20, 20))
    sql(s"ALTER TABLE $t DROP TAG IF EXISTS first")
    assert(sql(s"ALTER TABLE $t DROP TAG IF EXISTS first").count() == 0)
    sql(s"ALTER TABLE $t DROP BRANCH IF EXISTS b")
    assert(sql(s"ALTER TABLE $t DROP BRANCH IF EXISTS b").count() == 0)
    assert(sql(s"SHOW TAGS IN $t").count() == 2 && sql(s"SHOW BRANCHES IN $t").count() == 0)
    assert(sql(s"SHOW TAG IN $t").count() == 2 && sql(s"SHOW BRANCH FROM $t").count() == 0)
    assert(sql(s"SHOW INDEX FROM $t").count() == 0)
  }

  test("VACUUM drops a tag whose time is over, with its version; a dry run leaves it") {
    val path = table(3)
    val t = at(path)
    def tags = sql(s"SHOW TAGS IN $t").collect().map(_.getString(0)).toSet
    def vacuum(more: String) = sql(s"VACUUM $t RETAIN 0 HOURS $more").head().getAs[Long]("old_versions")
    sql(s"ALTER TABLE $t CREATE TAG gone AS OF VERSION 1 RETAIN 0 DAYS")
    sql(s"ALTER TABLE $t CREATE TAG kept AS OF VERSION 1 RETAIN 30 DAYS")
    sql(s"ALTER TABLE $t REPLACE TAG kept AS OF VERSION 2")
    assert(vacuum("DRY RUN") == 1 && tags == Set("gone", "kept"))
    assert(vacuum("") == 1 && tags == Set("kept"))
    sql(s"ALTER TABLE $t REPLACE TAG kept AS OF VERSION 2 RETAIN 0 HOURS")
    assert(vacuum("") == 1 && tags.isEmpty)
    assert(
      refusal(sql(s"CALL lance.system.create_tag('$path', 'v', retain => 'soon')")).contains("not an age")
    )
  }

  test("SHALLOW CLONE makes a table at a path, with a name if it is given") {
    val (path, target) = (table(2), freshPath())
    sql(s"CREATE TABLE ${at(target)} SHALLOW CLONE ${at(path)} VERSION AS OF 1")
    assert(load(target).count() == 10 && dataFiles(target).isEmpty)
    withTable { u =>
      val place = freshPath() + "/it's"
      val literal = place.replace("'", "\\'")
      sql(s"CREATE TABLE $u SHALLOW CLONE ${at(path)} LOCATION '$literal'")
      sql(s"INSERT INTO $u VALUES (20, 200)")
      assert(spark.table(u).count() == 21 && load(path).count() == 20 && load(place).count() == 21)
      Seq(
        s"CREATE TABLE $u SHALLOW CLONE ${at(path)} LOCATION '${freshPath()}'" -> "There is a table",
        s"CREATE TABLE IF NOT EXISTS ${u}_2 SHALLOW CLONE ${at(path)}" -> "IF NOT EXISTS",
        s"CREATE OR REPLACE TABLE $u SHALLOW CLONE ${at(path)}" -> "OR REPLACE",
        s"CREATE TABLE ${u}_2 SHALLOW CLONE ${at(path)}" -> "add LOCATION",
        s"CREATE TABLE ${at(target)} SHALLOW CLONE ${at(path)} TIMESTAMP AS OF '2030-01-01'" -> "TIMESTAMP",
        s"CREATE TABLE ${at(target)} SHALLOW CLONE ${at(path)} WHAT" -> "makes no sense"
      ).foreach { case (statement, said) => assert(refusal(sql(statement)).contains(said), statement) }
    }
  }

  test("table_changes is the change feed by Delta Lake's name") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id BIGINT) USING lance TBLPROPERTIES ('enable_stable_row_ids' = 'true')")
      sql(s"INSERT INTO $t VALUES (1), (2)")
      val changes = sql(s"SELECT id, _change_type, _commit_version FROM table_changes('$t', 2, 2)")
      assert(rows(changes) == Set(Row(1, "insert", 2), Row(2, "insert", 2)))
      assert(
        refusal(sql("SELECT * FROM table_changes('x')")).contains("table_changes needs the argument 'start'")
      )
    }
  }
}
