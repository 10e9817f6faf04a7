package io.sparklance.spark.catalog

import java.nio.file.{Files, Path}

import org.apache.spark.sql.Row

/** A catalog of a directory. The names of the tests are statements that work. */
class DirectoryCatalogSuite extends DirectoryCatalogs {
  test("CREATE TABLE, INSERT, SELECT, UPDATE, DELETE, MERGE, TRUNCATE, VERSION AS OF") {
    withCatalog { (c, root) =>
      sql(s"CREATE TABLE $c.t (id INT, name STRING)")
      sql(s"INSERT INTO $c.t VALUES (1, 'a'), (2, 'b')")
      sql(s"UPDATE $c.t SET name = 'c' WHERE id = 2")
      sql(s"DELETE FROM $c.t WHERE id = 1")
      sql(
        s"MERGE INTO $c.t USING (SELECT 3 AS id, 'd' AS name) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *"
      )
      assert(rows(sql(s"SELECT * FROM $c.t")) == Set(Row(2, "c"), Row(3, "d")))
      assert(rows(sql(s"SELECT * FROM $c.t VERSION AS OF 2")) == Set(Row(1, "a"), Row(2, "b")))
      assert(rows(load(s"$root/t.lance")) == Set(Row(2, "c"), Row(3, "d")))
      sql(s"TRUNCATE TABLE $c.t")
      assert(sql(s"SELECT * FROM $c.t").isEmpty)
    }
  }

  test("SHOW TABLES, DROP TABLE, DROP TABLE IF EXISTS, DROP TABLE PURGE") {
    withCatalog { (c, root) =>
      sql(s"CREATE NAMESPACE $c.n")
      Seq(s"$c.a", s"$c.b", s"$c.n.c").foreach(t => sql(s"CREATE TABLE $t (i INT)"))
      assert(names(s"SHOW TABLES IN $c") == Seq("a", "b"))
      assert(names(s"SHOW TABLES IN $c LIKE 'b*'") == Seq("b"))
      assert(names(s"SHOW TABLES IN $c.n") == Seq("c"))
      assert(message(sql(s"SHOW TABLES IN $c.no").collect()).contains("SCHEMA_NOT_FOUND"))
      sql(s"DROP TABLE $c.a")
      sql(s"DROP TABLE IF EXISTS $c.a")
      sql(s"DROP TABLE $c.n.c PURGE")
      assert(message(sql(s"DROP TABLE $c.a")).contains("TABLE_OR_VIEW_NOT_FOUND"))
      assert(names(s"SHOW TABLES IN $c") == Seq("b") && names(s"SHOW TABLES IN $c.n").isEmpty)
      val left = new java.io.File(root).list().toSet
      assert(left == Set("__manifest", "b.lance"))
    }
  }

  test("CREATE TABLE AS SELECT, CREATE OR REPLACE TABLE AS SELECT, REPLACE TABLE: all or nothing") {
    withCatalog { (c, root) =>
      sql(s"CREATE NAMESPACE $c.n")
      Seq("t", "n.t").foreach { t =>
        sql(s"CREATE TABLE $c.$t AS SELECT id FROM range(3)")
        sql(s"CREATE OR REPLACE TABLE $c.$t AS SELECT id, 'x' AS x FROM range(2)")
        intercept[Exception](sql(s"REPLACE TABLE $c.$t AS SELECT raise_error('no') || '' AS x FROM range(3)"))
        assert(rows(sql(s"SELECT * FROM $c.$t")) == Set(Row(0L, "x"), Row(1L, "x")))
        assert(sql(s"SELECT * FROM $c.$t VERSION AS OF 1").count() == 3)
        sql(s"REPLACE TABLE $c.$t (a INT)")
        assert(sql(s"SELECT * FROM $c.$t").columns.toSeq == Seq("a"))
        assert(message(sql(s"CREATE TABLE $c.$t (b INT)")).contains("ALREADY_EXISTS"))
        sql(s"CREATE TABLE IF NOT EXISTS $c.$t (b INT)")
      }
      val before = new java.io.File(root).list().toSet
      Seq("f", "n.f").foreach { t =>
        intercept[Exception](sql(s"CREATE TABLE $c.$t AS SELECT raise_error('no') || '' AS x FROM range(3)"))
        assert(message(sql(s"SELECT * FROM $c.$t")).contains("TABLE_OR_VIEW_NOT_FOUND"))
      }
      eventually(assert(new java.io.File(root).list().toSet == before))
      assert(message(sql(s"REPLACE TABLE $c.no (a INT)")).contains("NOT_FOUND"))
      assert(message(sql(s"CREATE TABLE $c.no.t (a INT)")).contains("SCHEMA_NOT_FOUND"))
    }
  }

  test("ALTER TABLE RENAME TO") {
    withCatalog { (c, root) =>
      sql(s"CREATE NAMESPACE $c.n")
      sql(s"CREATE TABLE $c.t AS SELECT 1 AS a")
      sql(s"CREATE TABLE $c.n.t AS SELECT 2 AS a")
      sql(s"ALTER TABLE $c.t RENAME TO u")
      sql(s"ALTER TABLE $c.n.t RENAME TO n.u")
      assert(rows(sql(s"SELECT * FROM $c.u")) == Set(Row(1)))
      assert(rows(sql(s"SELECT * FROM $c.n.u")) == Set(Row(2)))
      assert(names(s"SHOW TABLES IN $c") == Seq("u") && Files.exists(Path.of(root, "u.lance")))
      sql(s"CREATE TABLE $c.t (a INT)")
      assert(message(sql(s"ALTER TABLE $c.t RENAME TO u")).contains("ALREADY_EXISTS"))
      assert(refusal(sql(s"ALTER TABLE $c.t RENAME TO n.v")).contains("cannot become"))
    }
  }

  test("tables are created in one version, with all their properties, and replaced in one") {
    withCatalog { (c, root) =>
      sql(s"CREATE NAMESPACE $c.n")
      def properties(of: String) = "COMMENT 'mine' TBLPROPERTIES (" +
        s"k = '$of', 'lance.auto_cleanup.interval' = '9', 'lance.write.maxRowsPerFile' = '5')"
      def shown(table: String) =
        sql(s"SHOW TBLPROPERTIES $table").collect().map(row => row.getString(0) -> row.getString(1)).toMap
      val path = s"lance.`$root/beside`"
      Seq(s"$c.t", s"$c.n.t", path).zipWithIndex.foreach { case (t, i) =>
        if (i == 0) sql(s"CREATE TABLE $t (id BIGINT) USING lance ${properties("v")}")
        else sql(s"CREATE TABLE $t USING lance ${properties("v")} AS SELECT id FROM range(9)")
        val table = shown(t)
        assert(sql(s"SELECT version FROM $t.versions").collect().toSeq == Seq(Row(1L)))
        assert(table("k") == "v" && table("lance.auto_cleanup.interval") == "9")
        assert(table("lance.write.maxRowsPerFile") == "5")
        assert(sql(s"DESCRIBE EXTENDED $t").collect().mkString.contains("mine"))
        sql(s"CREATE OR REPLACE TABLE $t USING lance TBLPROPERTIES (l = 'w') AS SELECT 'x' AS x")
        assert(sql(s"SELECT max(version) FROM $t.versions").head() == Row(2L))
        val after = shown(t)
        assert(after("l") == "w" && !after.contains("k") && !after.contains("lance.write.maxRowsPerFile"))
        assert(after("lance.auto_cleanup.interval") == "9")
      }
      val writer = spark.range(3).writeTo(s"lance.`$root/later`").tableProperty("k", "v")
      val error = refusal(writer.option("uncommitted", "abc").create())
      assert(error.startsWith("Option 'uncommitted' cannot create ") && error.contains("table's properties"))
    }
  }

  test("SHOW CREATE TABLE, DESCRIBE EXTENDED, SHOW TBLPROPERTIES") {
    withCatalog { (c, root) =>
      sql(s"CREATE TABLE $c.t (id INT NOT NULL COMMENT 'key', v ARRAY<FLOAT>)")
      val shown = sql(s"SHOW CREATE TABLE $c.t").collect().head.getString(0)
      assert(shown.contains(s"CREATE TABLE $c.t") && shown.contains("USING lance") &&
        shown.contains("COMMENT 'key'"))
      sql(shown.replace(s"$c.t", s"$c.again"))
      assert(
        refusal(
          sql(s"ALTER TABLE $c.t SET LOCATION '/tmp/x'")
        ).contains("determines the location by its name")
      )
      assert(spark.table(s"$c.again").schema == spark.table(s"$c.t").schema)
      val described = sql(s"DESCRIBE EXTENDED $c.t").collect().mkString("\n")
      assert(described.contains("key") && described.contains(s"$root/t.lance") && described.contains("lance"))
    }
  }

  test("CREATE TABLE LIKE is refused by Spark, and leaves nothing") {
    withCatalog { (c, _) =>
      sql(s"CREATE TABLE $c.t AS SELECT 1 AS a")
      intercept[Exception](sql(s"CREATE TABLE $c.u LIKE $c.t"))
      assert(names(s"SHOW TABLES IN $c") == Seq("t"))
      sql(s"CREATE TABLE $c.u AS SELECT * FROM $c.t LIMIT 0")
      assert(sql(s"SELECT * FROM $c.u").columns.toSeq == Seq("a"))
    }
  }

  test("TBLPROPERTIES, COMMENT, DEFAULT, ALTER TABLE for columns and properties") {
    withCatalog { (c, _) =>
      sql(s"CREATE NAMESPACE $c.n")
      Seq("t", "n.t").foreach { t =>
        sql(s"CREATE TABLE $c.$t (a INT, b INT DEFAULT 5) COMMENT 'mine' TBLPROPERTIES (k = 'v')")
        sql(s"INSERT INTO $c.$t VALUES (1, DEFAULT)")
        sql(s"ALTER TABLE $c.$t ADD COLUMN d STRING")
        sql(s"ALTER TABLE $c.$t SET TBLPROPERTIES (k2 = 'v2')")
        sql(s"ALTER TABLE $c.$t UNSET TBLPROPERTIES (k)")
        assert(rows(sql(s"SELECT * FROM $c.$t")) == Set(Row(1, 5, null)))
        val properties = names(s"SHOW TBLPROPERTIES $c.$t").size
        assert(sql(s"SHOW TBLPROPERTIES $c.$t ('k2')").head().getString(1) == "v2" && properties > 0)
        assert(!sql(s"SHOW TBLPROPERTIES $c.$t").collect().exists(_.getString(0) == "k"))
        assert(sql(s"DESCRIBE EXTENDED $c.$t").collect().mkString.contains("mine"))
      }
    }
  }

  test("CALL register_table, CALL deregister_table") {
    withCatalog { (c, root) =>
      def call(text: String) = sql(s"CALL $c.system.$text").head().getString(0)
      sql(s"CREATE NAMESPACE $c.n")
      spark.range(3).write.format("lance").save(s"$root/deep/down")
      assert(call("register_table('n.t', 'deep/down')").endsWith(s"$root/deep/down"))
      sql(s"INSERT INTO $c.n.t VALUES (9)")
      assert(message(call("register_table('n.t', 'deep/down')")).contains("ALREADY_EXISTS"))
      assert(call(s"deregister_table('$c.n.t')").endsWith(s"$root/deep/down"))
      assert(message(sql(s"SELECT * FROM $c.n.t")).contains("TABLE_OR_VIEW_NOT_FOUND"))
      assert(message(call("deregister_table('n.t')")).contains("TABLE_OR_VIEW_NOT_FOUND"))
      call(s"register_table(location => '$root/deep/down', table => '$c.u')")
      assert(names(s"SHOW TABLES IN $c") == Seq("u") && sql(s"SELECT * FROM $c.u").count() == 4)
      sql(s"CREATE TABLE $c.p AS SELECT 1 AS a")
      call("deregister_table('p')")
      assert(names(s"SHOW TABLES IN $c") == Seq("u"))
      call("register_table('p', 'p.lance')")
      assert(rows(sql(s"SELECT * FROM $c.p")) == Set(Row(1)))
      Seq("no/table", "../x", s"${root}x/t", "deep//down", "s3://bucket/t").foreach { place =>
        assert(message(call(s"register_table('n.v', '$place')")).nonEmpty, place)
        assert(names(s"SHOW TABLES IN $c.n").isEmpty, place)
      }
      assert(message(call("register_table('no.t', 'deep/down')")).contains("SCHEMA_NOT_FOUND"))
      assert(refusal(sql("CALL lance.system.register_table('t', '/x')")).contains("by their paths only"))
      assert(refusal(sql("CALL spark_catalog.system.deregister_table('t')")).contains("DROP TABLE"))
    }
  }

  test("views are refused") {
    withCatalog { (c, _) =>
      sql(s"CREATE TABLE $c.t AS SELECT 1 AS a")
      assert(message(sql(s"CREATE VIEW $c.v AS SELECT * FROM $c.t")).contains("does not support views"))
    }
  }

  test("df.writeTo(…).create, append, overwrite, createOrReplace; saveAsTable; spark.table; DataFrames") {
    withCatalog { (c, _) =>
      val frame = spark.range(3).toDF("id")
      frame.writeTo(s"$c.t").create()
      frame.writeTo(s"$c.t").append()
      frame.write.mode("append").saveAsTable(s"$c.t")
      assert(spark.table(s"$c.t").count() == 9)
      frame.writeTo(s"$c.t").createOrReplace()
      assert(spark.table(s"$c.t").count() == 3)
      frame.writeTo(s"$c.t").overwrite(org.apache.spark.sql.functions.lit(true))
      frame.write.mode("overwrite").saveAsTable(s"$c.t")
      assert(spark.table(s"$c.t").count() == 3)
    }
  }
}
