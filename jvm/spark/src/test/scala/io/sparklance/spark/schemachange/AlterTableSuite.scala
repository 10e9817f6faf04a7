package io.sparklance.spark.schemachange

import org.apache.spark.sql.Row
import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.types.{IntegerType, LongType}

import io.sparklance.LanceException
import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite
import io.sparklance.spark.history.Statement
import io.sparklance.spark.options.StoreOptions
import io.sparklance.table.transaction.{KeyChanges, Operation}

/** ALTER TABLE of columns and properties, by name and by path. */
final class AlterTableSuite extends SparkSuite {

  private def dataset(t: String): Dataset = Dataset.open(LocalStore, root(t))

  private def withColumns(body: String => Any): Unit = withTable { t =>
    sql(
      s"CREATE TABLE $t (id INT NOT NULL, name STRING, s STRUCT<a: INT, b: STRUCT<x: INT, y: STRING>>) USING lance"
    )
    sql(s"INSERT INTO $t VALUES (1, 'one', named_struct('a', 10, 'b', named_struct('x', 100, 'y', 'p')))")
    sql(s"INSERT INTO $t VALUES (2, NULL, NULL)")
    val _ = body(t)
  }

  private def names(t: String): Seq[String] = spark.table(t).columns.toSeq

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

  test("structs in structs, lists and maps get fields, in their places") {
    withTable { t =>
      sql(
        s"CREATE TABLE $t (s STRUCT<a: INT>, l ARRAY<STRUCT<a: INT>>, m MAP<STRING, STRUCT<a: INT>>) USING lance"
      )
      sql(
        s"INSERT INTO $t VALUES (named_struct('a', 1), array(named_struct('a', 2)), map('k', named_struct('a', 3)))"
      )
      sql(s"ALTER TABLE $t ADD COLUMNS (s.b STRING FIRST, l.element.b STRING, m.value.b INT AFTER a)")
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

  test("what cannot be done is refused with its reason, and nothing is committed") {
    withColumns { t =>
      val version = dataset(t).version
      val refused = Seq(
        s"ALTER TABLE $t DROP COLUMNS (id, name, s)" -> "the only one of the table",
        s"ALTER TABLE $t DROP COLUMNS (s.b.x, s.b.y)" -> "the only field of struct 's.b'",
        s"ALTER TABLE $t ADD COLUMN more INT NOT NULL" -> "cannot be NOT NULL",
        s"ALTER TABLE $t REPLACE COLUMNS (id INT, more INT)" ->
          "REPLACE COLUMNS, which takes all values away",
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

  test("what others change meanwhile stays, and the statement is done again where it has to be") {
    withColumns { t =>
      val stale = dataset(t)
      sql(s"ALTER TABLE $t ADD COLUMN a INT")
      // Begun before: both stand, since each changes keys of its own.
      stale.commit(Operation.UpdateConfig.ofConfig(KeyChanges.Merging(Map("k" -> Some("v")))))
      sql(s"ALTER TABLE $t DROP COLUMN a")
      assert(dataset(t).config == Map("k" -> "v") && names(t) == Seq("id", "name", "s"))
    }
  }

  private def versionAndFiles(t: String): (Long, Set[String]) = (dataset(t).version, dataFiles(root(t)).toSet)

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
      assert(before.subsetOf(dataFiles(root(t)).toSet) && added.size == dataset(t).fragments.size)
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

  test("ALTER COLUMN TYPE writes that column anew, deleted rows included, and nothing else") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT, f FLOAT, d DECIMAL(5, 2), s STRUCT<a: SMALLINT, b: STRING>, l ARRAY<INT>, c VARCHAR(3)) " +
        "USING lance")
      sql(
        s"INSERT INTO $t SELECT id, id / 4F, id / 8, named_struct('a', id, 'b', 'x'), array(id, NULL), 'c' FROM range(50)"
      )
      sql(s"INSERT INTO $t VALUES (50, NULL, NULL, NULL, NULL, NULL)")
      sql(s"DELETE FROM $t WHERE id % 5 = 1")
      val values = rows(sql(s"SELECT * FROM $t"))
      val before = dataFiles(root(t)).toSet
      sql(
        s"ALTER TABLE $t ALTER COLUMN id TYPE BIGINT, f TYPE DOUBLE, d TYPE DECIMAL(10, 4), s.a TYPE INT, l.element TYPE BIGINT"
      )
      assert(spark.table(t).schema.map(_.dataType.catalogString) ==
        Seq("bigint", "double", "decimal(10,4)", "struct<a:int,b:string>", "array<bigint>", "string"))
      assert(dataFiles(root(t)).toSet.diff(before).size == dataset(t).fragments.size &&
        before.subsetOf(dataFiles(root(t)).toSet))
      def shown(all: Set[Row]): Set[String] = all.map(_.toString.replaceAll("(\\.\\d\\d)0*", "$1"))
      assert(shown(rows(sql(s"SELECT * FROM $t"))) == shown(values))
      assert(rows(sql(s"SELECT id FROM $t WHERE id = 49 AND s.a = 49 AND l[0] = 49 AND f = 12.25")) ==
        Set(Row(49L)))
      val (version, files) = versionAndFiles(t)
      sql(s"ALTER TABLE $t ALTER COLUMN c TYPE STRING")
      assert(spark.table(t).schema("c").dataType.catalogString == "string")
      sql(s"INSERT INTO $t VALUES (60, NULL, NULL, NULL, NULL, 'more than three')")
      assert(versionAndFiles(t)._1 == version + 2 && versionAndFiles(t)._2.size == files.size + 1)
    }
  }

  test(
    "a type that values cannot be given, or that the format does not cast to, is refused, and nothing stays"
  ) {
    withColumns { t =>
      val before = versionAndFiles(t)
      assert(refusal(sql(s"ALTER TABLE $t ALTER COLUMN id TYPE STRING")).contains("from int32 to string"))
      assert(refusal(
        sql(s"ALTER TABLE $t ALTER COLUMN id TYPE DOUBLE")
      ).contains("changing the type of column 'id'"))
      // Spark itself allows no narrower type.
      assert(intercept[Exception](
        sql(s"ALTER TABLE $t ALTER COLUMN id TYPE SMALLINT")
      ).getMessage.contains("SMALLINT"))
      assert(versionAndFiles(t) == before)
    }
  }

  private def alter(t: String, alterations: String): Unit =
    sql(s"CALL spark_catalog.system.alter_columns('$t', '$alterations')").collect().foreach(_ => ())

  test("alter_columns makes columns narrower if all rows that are left fit, renames them and forbids nulls") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id BIGINT, v ARRAY<FLOAT>, s STRUCT<a: INT, b: INT>) USING lance " +
        "TBLPROPERTIES ('v.arrow.fixed-size-list.size' = '2')")
      sql(
        s"INSERT INTO $t SELECT id, array(float(id), 0.5F), named_struct('a', id, 'b', NULL) FROM range(0, 200, 1, 1)"
      )
      val before = versionAndFiles(t)
      val said = refusal(alter(t, """[{"path": "id", "data_type": "int8"}]"""))
      assert(said.contains("Column 'id' cannot be made int8: it has the value 128, in row 128 of fragment 0"))
      assert(refusal(alter(t, """[{"path": "s.b", "nullable": false}]""")).contains("'s.b' has nulls"))
      assert(versionAndFiles(t) == before)
      sql(s"DELETE FROM $t WHERE id > 127")
      alter(
        t,
        """[{"path": "id", "name": "key", "data_type": "int8", "nullable": false},
          | {"path": "v", "data_type": "fixed_size_list:halffloat:2"}, {"path": "s.a", "data_type": "uint8"}]""".stripMargin
      )
      val now = dataset(t)
      assert(now.version == before._1 + 2 && !now.schema.fields.head.nullable)
      assert(now.schema.fields.map(_.name) == Vector("key", "v", "s"))
      assert(rows(sql(s"SELECT key, v, s FROM $t WHERE key = 127")) ==
        Set(Row(127.toByte, Seq(127f, 0.5f), Row(127.toShort, null))))
      assert(sql(s"SELECT * FROM $t").count() == 128)
      alter(t, """[{"path": "s.a", "name": "c", "nullable": false}]""")
      val _ = intercept[Exception](sql(s"INSERT INTO $t VALUES (1, NULL, named_struct('c', NULL, 'b', 1))"))
    }
  }

  test(
    "arguments of alter_columns, drop_columns and add_null_columns that make no sense are refused by what is wrong"
  ) {
    withColumns { t =>
      val before = versionAndFiles(t)
      def call(text: String): String = refusal(sql(s"CALL spark_catalog.system.$text").collect())
      Seq(
        "nothing" -> "it is no JSON",
        "{}" -> "no array of objects",
        """[{"name": "x"}]""" -> "has no path",
        """[{"path": "id", "type": "int64"}]""" -> "no key 'type'",
        """[{"path": "id", "data_type": "INT"}]""" -> "'INT' is no type of Lance",
        """[{"path": "nothing", "name": "x"}]""" -> "no column 'nothing'; there are id, name, s",
        """[{"path": "id", "name": "NAME"}]""" -> "There is a column 'name' already",
        """[{"path": "id", "name": "x"}, {"path": "ID", "nullable": true}]""" -> "altered twice",
        """[{"path": "s", "data_type": "int64"}]""" -> "changing the type of column 's'"
      ).foreach { case (text, reason) =>
        assert(call(s"alter_columns('$t', '$text')").contains(reason), text)
      }
      assert(call(s"drop_columns('$t', array('name', 's.c'))").contains("no column 's.c'"))
      assert(call(s"drop_columns('$t', array('id', 'name', 's'))").contains("the only one of the table"))
      assert(call(s"add_null_columns('$t', 'ID INT')").contains("There is a column 'id' already"))
      assert(call(s"add_null_columns('$t', 'x INT NOT NULL')").contains("cannot be NOT NULL"))
      assert(call(s"add_null_columns('$t', 'what is it')").contains("is no schema"))
      assert(versionAndFiles(t) == before)
      sql(s"CALL spark_catalog.system.add_null_columns('$t', 'x INT, y ARRAY<STRING>')").collect()
      sql(s"CALL spark_catalog.system.drop_columns('$t', array('s.a', 'x'))").collect()
      assert(rows(sql(s"SELECT s, y FROM $t WHERE id = 1")) == Set(Row(Row(Row(100, "p")), null)))
    }
  }

  /** Changes columns, and has something else committed between plan and commit, the first time. */
  private def interrupted(t: String, change: TableChange.ColumnChange)(other: => Any): Int = {
    var plans = 0
    AlterTableCommit.columns(StoreOptions.locate(root(t)), Statement("ADD COLUMNS")) { now =>
      plans += 1
      val planned = new SparkColumnChanges(now).applied(Seq(change))
      if (plans == 1) { val _ = other }
      planned
    }
    plans
  }

  test("a change that writes a column is done again if rows came meanwhile, and leaves no file behind") {
    withColumns { t =>
      val toLong = TableChange.updateColumnType(Array("id"), LongType).asInstanceOf[TableChange.ColumnChange]
      assert(interrupted(t, toLong)(sql(s"INSERT INTO $t VALUES (3, 'three', NULL)")) == 2)
      assert(rows(sql(s"SELECT id, name FROM $t")) == Set(Row(1L, "one"), Row(2L, null), Row(3L, "three")))
      assert(dataFiles(root(t)).size == 6)
      val more = TableChange.addColumn(Array("more"), IntegerType).asInstanceOf[TableChange.ColumnChange]
      assert(interrupted(t, more)(sql(s"DELETE FROM $t WHERE id = 1")) == 2)
      assert(rows(sql(s"SELECT id, more FROM $t")) == Set(Row(2L, null), Row(3L, null)))
    }
  }

  test(
    "columns are dropped and renamed beside rows that come and go, and not beside other changes of columns"
  ) {
    withColumns { t =>
      val drop = TableChange.deleteColumn(Array("name"), false).asInstanceOf[TableChange.ColumnChange]
      assert(interrupted(t, drop)(sql(s"INSERT INTO $t VALUES (3, 'three', NULL)")) == 1)
      assert(rows(sql(s"SELECT id FROM $t")) == Set(Row(1), Row(2), Row(3)) && names(t) == Seq("id", "s"))
      val rename = TableChange.renameColumn(Array("s"), "struct").asInstanceOf[TableChange.ColumnChange]
      assert(interrupted(t, rename)(sql(s"ALTER TABLE $t ADD COLUMN more INT")) == 2)
      assert(names(t) == Seq("id", "struct", "more"))
      val gone = intercept[LanceException](interrupted(t, rename)(sql(s"ALTER TABLE $t DROP COLUMN more")))
      assert(gone.getMessage.contains("no column 's'"))
    }
  }
}
