package io.sparklance.spark.schemachange

import org.apache.spark.sql.Row

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore

/** ALTER TABLE of columns and properties, by name and by path. */
final class AlterTableSuite extends AlteredTables {
  test("ADD COLUMNS writes no data: new columns are null, stand where they are put, and keep their comments") {
    withColumns { t =>
      val (before, version) = (dataFiles(root(t)).toSet, dataset(t).version)
      sql(
        s"ALTER TABLE $t ADD COLUMNS (score DOUBLE COMMENT 'of 10' FIRST, tags ARRAY<STRING> AFTER id, last STRUCT<z: INT>)"
      )
      assert(names(t) == Seq("score", "id", "tags", "name", "s", "last"))
      assert(dataFiles(root(t)).toSet == before && dataset(t).version == version + 1)
      assert(spark.table(t).schema("score").getComment().contains("of 10"))
      assert(rows(sql(s"SELECT id, score, tags, last FROM $t")) ==
        Set(Row(1, null, null, null), Row(2, null, null, null)))
      sql(s"INSERT INTO $t VALUES (9.5D, 3, array('a'), 'three', NULL, named_struct('z', 7))")
      assert(rows(sql(s"SELECT id, score, tags[0], last.z FROM $t WHERE score > 1")) ==
        Set(Row(3, 9.5, "a", 7)))
      assert(dataset(t).schema.preOrder.map(_.id).sorted == (0 to 11).toVector)
    }
  }

  test(
    "structs in structs and lists get fields, in their places; those in maps do as long as there are no rows"
  ) {
    withTable { t =>
      sql(
        s"CREATE TABLE $t (s STRUCT<a: INT>, l ARRAY<STRUCT<a: INT>>, m MAP<STRING, STRUCT<a: INT>>) USING lance"
      )
      sql(s"ALTER TABLE $t ADD COLUMN m.value.b INT AFTER a")
      sql(
        s"INSERT INTO $t VALUES (named_struct('a', 1), array(named_struct('a', 2)), map('k', named_struct('a', 3, 'b', NULL)))"
      )
      sql(s"ALTER TABLE $t ADD COLUMNS (s.b STRING FIRST, l.element.b STRING)")
      for (change <- Seq("ADD COLUMN m.value.c INT", "ALTER COLUMN m.value.a TYPE BIGINT"))
        assert(refusal(sql(s"ALTER TABLE $t $change")).contains("within the map 'm'"))
      sql(s"ALTER TABLE $t ADD COLUMN s.c STRUCT<d: INT>")
      sql(
        s"INSERT INTO $t VALUES (named_struct('b', 'x', 'a', 5, 'c', NULL), array(named_struct('a', 6, 'b', 'y')), NULL)"
      )
      assert(spark.table(t).schema("s").dataType.catalogString == "struct<b:string,a:int,c:struct<d:int>>")
      assert(rows(sql(s"SELECT s, l, m FROM $t")) == Set(
        Row(Row(null, 1, null), Seq(Row(2, null)), Map("k" -> Row(3, null))),
        Row(Row("x", 5, null), Seq(Row(6, "y")), null)
      ))
    }
  }

  test("DROP COLUMN drops columns and fields, and a column of the same name that comes later is another one") {
    withColumns { t =>
      sql(s"ALTER TABLE $t DROP COLUMNS (name, s.b.x)")
      assert(names(t) == Seq("id", "s"))
      assert(rows(sql(s"SELECT id, s.b FROM $t")) == Set(Row(1, Row("p")), Row(2, null)))
      sql(s"ALTER TABLE $t DROP COLUMN IF EXISTS nothing")
      sql(s"ALTER TABLE $t ADD COLUMN name STRING")
      assert(rows(sql(s"SELECT id, name FROM $t")) == Set(Row(1, null), Row(2, null)))
    }
  }

  test("the last field of a struct that has values is not dropped: the struct would go with it") {
    val structs = Seq(
      ("STRUCT<a: INT>", "named_struct('a', 1)", "c", "named_struct('b', CAST(NULL AS INT))"),
      (
        "ARRAY<STRUCT<a: INT>>",
        "array(named_struct('a', 1))",
        "c.element",
        "array(named_struct('b', CAST(NULL AS INT)))"
      ),
      (
        "STRUCT<x: INT, l: ARRAY<STRUCT<a: INT>>>",
        "named_struct('x', 2, 'l', array(named_struct('a', 1)))",
        "c.l.element",
        "named_struct('x', 2, 'l', array(named_struct('b', CAST(NULL AS INT))))"
      )
    )
    for ((kind, value, struct, after) <- structs) withTable { t =>
      sql(s"CREATE TABLE $t (id INT, c $kind) USING lance")
      sql(s"INSERT INTO $t VALUES (1, $value), (2, NULL)")
      sql(s"ALTER TABLE $t ADD COLUMN $struct.b INT")
      val before = rows(sql(s"SELECT * FROM $t"))
      val said = refusal(sql(s"ALTER TABLE $t DROP COLUMN $struct.a"))
      assert(
        said.contains(s"The fields of '${struct.replace("element", "item")}' that would be left") &&
          said.contains("SET c = c"),
        said
      )
      assert(rows(sql(s"SELECT * FROM $t")) == before)
      sql(s"UPDATE $t SET c = c")
      sql(s"ALTER TABLE $t DROP COLUMN $struct.a")
      assert(rows(sql(s"SELECT * FROM $t")) == rows(sql(s"SELECT 1, $after UNION ALL SELECT 2, NULL")))
    }
  }

  test("RENAME COLUMN renames columns and fields, and nothing is written") {
    withColumns { t =>
      val before = dataFiles(root(t)).toSet
      sql(s"ALTER TABLE $t RENAME COLUMN name TO title")
      sql(s"ALTER TABLE $t RENAME COLUMN s.b.y TO why")
      sql(s"ALTER TABLE $t RENAME COLUMN s TO struct")
      assert(names(t) == Seq("id", "title", "struct"))
      assert(rows(sql(s"SELECT title, struct.b.why FROM $t")) == Set(Row("one", "p"), Row(null, null)))
      assert(dataFiles(root(t)).toSet == before)
    }
  }

  test("comments, nulls and places of columns are changed") {
    withColumns { t =>
      sql(s"ALTER TABLE $t ALTER COLUMN id COMMENT 'a key'")
      sql(s"ALTER TABLE $t ALTER COLUMN s.b.x COMMENT 'deep'")
      assert(spark.table(t).schema("id").getComment().contains("a key"))
      assert(dataset(t).schema.preOrder.find(_.name == "x").exists(_.metadata("comment") == "deep"))
      val version = dataset(t).version
      sql(s"ALTER TABLE $t ALTER COLUMN id SET NOT NULL")
      assert(dataset(t).version == version)
      sql(s"ALTER TABLE $t ALTER COLUMN id DROP NOT NULL")
      sql(s"INSERT INTO $t VALUES (NULL, 'no id', NULL)")
      sql(s"ALTER TABLE $t ALTER COLUMN s FIRST")
      sql(s"ALTER TABLE $t ALTER COLUMN s.a AFTER b")
      assert(names(t) == Seq("s", "id", "name"))
      assert(rows(sql(s"SELECT * FROM $t")) == Set(
        Row(Row(Row(100, "p"), 10), 1, "one"),
        Row(null, 2, null),
        Row(null, null, "no id")
      ))
    }
  }

  test(
    "properties of a table that no metastore knows are in its config and metadata, and are options of writes"
  ) {
    val path = freshPath()
    spark.range(5).write.format("lance").save(path)
    sql(s"ALTER TABLE lance.`$path` SET TBLPROPERTIES ('lance.auto_cleanup.interval' = '3', 'owner of it' = 'me', " +
      "'lance.write.maxRowsPerFile' = '2')")
    val set = Dataset.open(LocalStore, path)
    assert(set.config("lance.auto_cleanup.interval") == "3" &&
      set.tableMetadata == Map("owner of it" -> "me"))
    assert(rows(sql(s"SHOW TBLPROPERTIES lance.`$path` ('owner of it')")) == Set(Row("owner of it", "me")))
    sql(s"INSERT INTO lance.`$path` SELECT * FROM range(0, 4, 1, 1)")
    assert(Dataset.open(LocalStore, path).fragments.flatMap(_.physicalRows).takeRight(2) == Vector(2L, 2L))
    sql(s"ALTER TABLE lance.`$path` UNSET TBLPROPERTIES ('owner of it', 'lance.auto_cleanup.interval')")
    sql(s"COMMENT ON TABLE lance.`$path` IS 'numbers'")
    val unset = Dataset.open(LocalStore, path)
    assert(unset.config.keySet == Set("lance.write.maxRowsPerFile") &&
      unset.tableMetadata == Map("comment" -> "numbers"))
  }

  test("impossible changes are refused with a reason, and nothing is committed") {
    withColumns { t =>
      val version = dataset(t).version
      val refused = Seq(
        s"ALTER TABLE $t DROP COLUMNS (id, name, s)" -> "the only one of the table",
        s"ALTER TABLE $t DROP COLUMNS (s.b.x, s.b.y)" -> "the only field of struct 's.b'",
        s"ALTER TABLE $t ADD COLUMN more INT NOT NULL" -> "cannot be NOT NULL",
        s"ALTER TABLE $t REPLACE COLUMNS (id INT, more INT)" ->
          "REPLACE COLUMNS, which drops all values",
        s"ALTER TABLE $t ADD COLUMN _rowid INT" -> "the name of a metadata column",
        s"ALTER TABLE $t RENAME COLUMN name TO _RowAddr" -> "the name of a metadata column",
        s"ALTER TABLE $t ADD COLUMN `a.b` INT" -> "a dot separates",
        s"ALTER TABLE $t ADD COLUMN i VARIANT" -> "column 'i'"
      )
      refused.foreach { case (statement, reason) =>
        val said = refusal(sql(statement))
        assert(said.contains(reason), statement)
      }
      // Spark itself sees to these.
      Seq(
        s"ALTER TABLE $t ADD COLUMN NAME INT",
        s"ALTER TABLE $t RENAME COLUMN id TO NAME",
        s"ALTER TABLE $t ALTER COLUMN name SET NOT NULL",
        s"ALTER TABLE $t DROP COLUMN nothing"
      ).foreach(statement => assert(intercept[Exception](sql(statement)).getMessage.nonEmpty, statement))
      assert(dataset(t).version == version)
    }
  }

  test("a struct that would be NULL in files of version 2.0 is refused, and later writes go on") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT, s STRUCT<a: INT>) USING lance OPTIONS (dataStorageVersion '2.0')")
      sql(s"ALTER TABLE $t ADD COLUMN early STRUCT<x: INT>")
      sql(s"INSERT INTO $t VALUES (1, named_struct('a', 1), named_struct('x', 1))")
      val version = dataset(t).version
      val more = sql(
        "SELECT 2 AS id, named_struct('a', 1) AS s, named_struct('x', 1) AS early, named_struct('x', 1) AS place"
      )
      Seq[(String, () => Any)](
        "place" -> (() => sql(s"ALTER TABLE $t ADD COLUMN place STRUCT<x: INT>")),
        "s.b" -> (() => sql(s"ALTER TABLE $t ADD COLUMN s.b STRUCT<x: INT>")),
        "place" ->
          (() => sql(s"CALL spark_catalog.system.add_null_columns('$t', 'place STRUCT<x: INT>')").collect()),
        "place" ->
          (() => more.write.format("lance").mode("append").option("mergeSchema", "true").save(root(t)))
      ).foreach { case (column, run) =>
        val said = refusal(run())
        assert(
          said.contains(s"'$column' would be a struct that is NULL") && said.contains("raise_file_version"),
          said
        )
      }
      assert(dataset(t).version == version)
      sql(s"ALTER TABLE $t ADD COLUMN list ARRAY<STRUCT<x: INT>>")
      sql(s"INSERT INTO $t VALUES (2, named_struct('a', 1), named_struct('x', 1), NULL)")
      val said = refusal(sql(s"INSERT INTO $t VALUES (3, NULL, NULL, NULL)"))
      assert(said.contains("structs that are NULL") && said.contains("raise_file_version"), said)
      sql(s"CALL spark_catalog.system.raise_file_version('$t', '2.1')").collect()
      sql(s"ALTER TABLE $t ADD COLUMN place STRUCT<x: INT>")
      sql(s"INSERT INTO $t VALUES (3, NULL, NULL, NULL, NULL)")
      sql(s"UPDATE $t SET id = 9 WHERE id = 1")
      sql(s"OPTIMIZE $t")
      assert(rows(sql(s"SELECT id, place FROM $t")) == Set(Row(9, null), Row(2, null), Row(3, null)))
    }
  }

  test(
    "ADD COLUMN with DEFAULT gives all rows the value, in small files of their own, and later rows the current default"
  ) {
    withColumns { t =>
      sql(s"DELETE FROM $t WHERE id = 1")
      sql(s"INSERT INTO $t VALUES (1, 'one', NULL)")
      val before = dataFiles(root(t)).toSet
      sql(
        s"ALTER TABLE $t ADD COLUMNS (score DOUBLE NOT NULL DEFAULT 1.5 COMMENT 'c', tags ARRAY<STRING> DEFAULT array('a'), x INT)"
      )
      assert(rows(sql(s"SELECT id, score, tags, x FROM $t")) ==
        Set(Row(1, 1.5, Seq("a"), null), Row(2, 1.5, Seq("a"), null)))
      assert(!spark.table(t).schema("score").nullable &&
        spark.table(t).schema("score").getComment().contains("c"))
      val added = dataFiles(root(t)).toSet -- before
      assert(before.subsetOf(dataFiles(root(t)).toSet) && added.size == 1)
      sql(s"INSERT INTO $t VALUES (3, NULL, NULL, DEFAULT, DEFAULT, NULL)")
      sql(s"ALTER TABLE $t ALTER COLUMN score SET DEFAULT 2.5")
      sql(s"ALTER TABLE $t ALTER COLUMN tags DROP DEFAULT")
      sql(s"INSERT INTO $t VALUES (4, NULL, NULL, DEFAULT, DEFAULT, DEFAULT)")
      assert(rows(sql(s"SELECT id, score, tags FROM $t WHERE id > 2")) ==
        Set(Row(3, 1.5, Seq("a")), Row(4, 2.5, null)))
      sql(s"ALTER TABLE $t ALTER COLUMN name SET DEFAULT 'none'")
      sql(s"INSERT INTO $t VALUES (6, DEFAULT, NULL, DEFAULT, DEFAULT, DEFAULT)")
      assert(rows(sql(s"SELECT name FROM $t WHERE id IN (2, 6)")) == Set(Row(null), Row("none")))
      assert(refusal(sql(s"ALTER TABLE $t ADD COLUMN s.c INT DEFAULT 3")).contains("DEFAULT of 's.c'"))
    }
  }
}
