package io.sparklance.spark.schemachange

import org.apache.spark.sql.Row

/** ALTER COLUMN TYPE, and the procedures that alter columns. */
final class AlterTypesSuite extends AlteredTables {
  test("ALTER COLUMN TYPE rewrites that column, deleted rows included, and nothing else") {
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
    "a type that cannot hold the values, or that the format does not cast to, is refused, and nothing stays"
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

  test("alter_columns narrows columns if all remaining rows fit, renames them and forbids nulls") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id BIGINT, v ARRAY<FLOAT>, s STRUCT<a: INT, b: INT>) USING lance " +
        "TBLPROPERTIES ('v.arrow.fixed-size-list.size' = '2')")
      sql(
        s"INSERT INTO $t SELECT id, array(float(id), 0.5F), named_struct('a', id, 'b', NULL) FROM range(0, 200, 1, 1)"
      )
      val before = versionAndFiles(t)
      val said = refusal(alter(t, """[{"path": "id", "data_type": "int8"}]"""))
      assert(
        said.contains("Column 'id' cannot be changed to int8: it has the value 128, in row 128 of fragment 0")
      )
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
    "invalid arguments of alter_columns, drop_columns and add_null_columns are refused with the reason"
  ) {
    withColumns { t =>
      val before = versionAndFiles(t)
      def call(text: String): String = refusal(sql(s"CALL spark_catalog.system.$text").collect())
      Seq(
        "nothing" -> "it is no JSON",
        "{}" -> "not an array of objects",
        """[{"name": "x"}]""" -> "has no path",
        """[{"path": "id", "type": "int64"}]""" -> "lacks the key 'type'",
        """[{"path": "id", "data_type": "INT"}]""" -> "'INT' is not a type of Lance",
        """[{"path": "nothing", "name": "x"}]""" -> "no column 'nothing'; the columns are id, name, s",
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
      assert(call(s"add_null_columns('$t', 'what is it')").contains("is not a schema"))
      assert(versionAndFiles(t) == before)
      sql(s"CALL spark_catalog.system.add_null_columns('$t', 'x INT, y ARRAY<STRING>')").collect()
      sql(s"CALL spark_catalog.system.drop_columns('$t', array('s.a', 'x'))").collect()
      assert(rows(sql(s"SELECT s, y FROM $t WHERE id = 1")) == Set(Row(Row(Row(100, "p")), null)))
    }
  }
}
