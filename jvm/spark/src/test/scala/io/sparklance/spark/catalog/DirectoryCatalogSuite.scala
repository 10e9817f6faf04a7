package io.sparklance.spark.catalog

import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.Row

import io.sparklance.io.LocalStore
import io.sparklance.namespace.{TableDirectory, TableName}
import io.sparklance.spark.{LanceCatalog, SparkSuite}

/** A catalog of a directory. The names of the tests are statements that work. */
final class DirectoryCatalogSuite extends SparkSuite {

  /** A catalog of its own, and the directory. */
  private def withCatalog[A](body: (String, String) => A): A = at(freshPath())(body)

  private def at[A](root: String)(body: (String, String) => A): A = {
    val name = s"lake${DirectoryCatalogSuite.count.incrementAndGet()}"
    spark.conf.set(s"spark.sql.catalog.$name", classOf[LanceCatalog].getName)
    spark.conf.set(s"spark.sql.catalog.$name.warehouse", root)
    body(name, root)
  }

  private def names(statement: String): Seq[String] =
    sql(statement).collect().map(row => if (row.length == 1) row.getString(0) else row.getString(1)).toSeq

  private def message(body: => Any): String = intercept[Exception](body).getMessage

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

  test("CREATE NAMESPACE, SHOW NAMESPACES, DESCRIBE NAMESPACE, ALTER NAMESPACE, DROP NAMESPACE, USE") {
    withCatalog { (c, _) =>
      assert(names(s"SHOW NAMESPACES IN $c").isEmpty)
      sql(s"CREATE NAMESPACE $c.eu COMMENT 'Europe' WITH DBPROPERTIES (owner2 = 'me')")
      sql(s"CREATE NAMESPACE IF NOT EXISTS $c.eu")
      sql(s"CREATE NAMESPACE $c.eu.west")
      assert(names(s"SHOW NAMESPACES IN $c") == Seq("eu"))
      assert(names(s"SHOW NAMESPACES IN $c.eu") == Seq("eu.west"))
      sql(s"ALTER NAMESPACE $c.eu SET PROPERTIES (k = 'v')")
      val described = sql(s"DESCRIBE NAMESPACE EXTENDED $c.eu").collect().mkString
      assert(described.contains("Europe") && described.contains("(k,v)") && described.contains("(owner2,me)"))
      assert(message(sql(s"CREATE NAMESPACE $c.eu")).contains("ALREADY_EXISTS"))
      assert(message(sql(s"CREATE NAMESPACE $c.us.west")).contains(s"SCHEMA_NOT_FOUND] The schema `$c`.`us`"))
      assert(message(sql(s"DROP NAMESPACE $c.eu")).contains("SCHEMA_NOT_EMPTY"))
      assert(refusal(sql(s"CREATE NAMESPACE $c.x LOCATION '/tmp/x'")).contains("no LOCATION"))
      sql(s"CREATE TABLE $c.eu.west.t AS SELECT 1 AS a")
      try {
        sql(s"USE $c.eu.west")
        assert(rows(sql("SELECT * FROM t")) == Set(Row(1)))
        assert(names("SHOW TABLES") == Seq("t"))
        assert(sql("SELECT version FROM t.versions").collect().toSeq == Seq(Row(1L)))
      } finally { val _ = sql("USE spark_catalog.default") }
      sql(s"DROP NAMESPACE $c.eu CASCADE")
      assert(names(s"SHOW NAMESPACES IN $c").isEmpty)
      assert(message(sql(s"SELECT * FROM $c.eu.west.t")).contains("TABLE_OR_VIEW_NOT_FOUND"))
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

  test("tables are made in one version, with all that is said of them, and replaced in one") {
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

  test("a name that was declared only says so, and can be filled, or dropped") {
    withCatalog { (c, root) =>
      sql(s"CREATE NAMESPACE $c.n")
      val directory = new TableDirectory(LocalStore, root)
      def declare(): Unit = Seq("t.lance" -> Vector("t"), "at" -> Vector("n", "t")).foreach {
        case (place, path) =>
          LocalStore.put(s"$root/$place/.lance-reserved", Array(1))
          directory.enter(TableName(path.init, path.last), s"$root/$place")
      }
      declare()
      assert(names(s"SHOW TABLES IN $c") == Seq("t") && names(s"SHOW TABLES IN $c.n") == Seq("t"))
      Seq(s"$c.t", s"$c.n.t").foreach { t =>
        Seq(
          s"SELECT * FROM $t",
          s"SELECT a FROM $t WHERE b = 1",
          s"SELECT * FROM $t VERSION AS OF 1",
          s"SELECT * FROM $t.versions",
          s"INSERT INTO $t VALUES (1)",
          s"DELETE FROM $t WHERE a = 1",
          s"ALTER TABLE $t SET TBLPROPERTIES (k = 'v')",
          s"CALL lance.system.history('$t')"
        ).foreach(statement =>
          assert(refusal(sql(statement).collect()).contains(s"$t has no version"), statement)
        )
        sql(s"CREATE OR REPLACE TABLE $t AS SELECT 1 AS a")
        assert(rows(sql(s"SELECT * FROM $t")) == Set(Row(1)))
        sql(s"DROP TABLE $t")
      }
      declare()
      assert(spark.catalog.listTables(s"$c.n").filter("NOT isTemporary").count() == 1)
      assert(sql(s"SHOW TABLE EXTENDED IN $c.n LIKE '*'").filter("NOT isTemporary").count() == 1)
      assert(refusal(sql(s"DESCRIBE TABLE EXTENDED $c.n.t").collect()).contains("has no version"))
      sql(s"DROP TABLE $c.t")
      sql(s"DROP TABLE IF EXISTS $c.n.t PURGE")
      assert(names(s"SHOW TABLES IN $c").isEmpty && names(s"SHOW TABLES IN $c.n").isEmpty)
      assert(new java.io.File(root).list().toSeq == Seq("__manifest"))
    }
  }

  test("a row of the list that makes no sense is an error only for who needs it") {
    withCatalog { (c, root) =>
      sql(s"CREATE NAMESPACE $c.n")
      sql(s"CREATE TABLE $c.n.t AS SELECT 1 AS a")
      new TableDirectory(LocalStore, root).enter(TableName(Vector("n"), "bad"), s"$root/../elsewhere")
      assert(names(s"SHOW TABLES IN $c.n") == Seq("bad", "t"))
      sql(s"CREATE TABLE $c.n.u AS SELECT a FROM $c.n.t")
      sql(s"ALTER TABLE $c.n.u RENAME TO n.v")
      sql(s"DROP TABLE $c.n.v")
      Seq(
        s"SELECT a FROM $c.n.bad",
        s"INSERT INTO $c.n.bad VALUES (1)",
        s"CREATE OR REPLACE TABLE $c.n.bad (a INT)"
      )
        .foreach { statement =>
          val refused = refusal(sql(statement).collect())
          assert(refused.contains("'n.bad'") && refused.contains("../elsewhere") &&
            refused.contains("DROP TABLE takes it out"))
        }
      sql(s"DROP TABLE $c.n.bad")
      assert(names(s"SHOW TABLES IN $c.n") == Seq("t"))
    }
  }

  test("old versions of the list stay until they are cleaned up") {
    withCatalog { (c, root) =>
      Seq("a", "b", "c").foreach(n => sql(s"CREATE NAMESPACE $c.$n"))
      def versions = sql(s"SELECT * FROM lance.`$root/__manifest`.versions").count()
      assert(versions == 4)
      sql(s"CALL lance.system.cleanup('$root/__manifest', retain_versions => 1)")
      assert(versions == 1)
      sql(s"DROP NAMESPACE $c.b")
      assert(names(s"SHOW NAMESPACES IN $c") == Seq("a", "c"))
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
        refusal(sql(s"ALTER TABLE $c.t SET LOCATION '/tmp/x'")).contains("says by its name where it lies")
      )
      assert(spark.table(s"$c.again").schema == spark.table(s"$c.t").schema)
      val described = sql(s"DESCRIBE EXTENDED $c.t").collect().mkString("\n")
      assert(described.contains("key") && described.contains(s"$root/t.lance") && described.contains("lance"))
    }
  }

  test("names that need quotes") {
    withCatalog { (c, root) =>
      val odd = Seq("a table", "ünïcode ✓", "a.b", "per%cent", "quo'te", "back``tick", "#?*[]{}")
      odd.foreach(name => sql(s"CREATE TABLE $c.`$name` AS SELECT 1 AS a"))
      assert(names(s"SHOW TABLES IN $c").toSet == odd.map(_.replace("``", "`")).toSet)
      odd.foreach { name =>
        sql(s"INSERT INTO $c.`$name` VALUES (2)")
        assert(rows(sql(s"SELECT * FROM $c.`$name`")) == Set(Row(1), Row(2)))
        assert(sql(s"SELECT * FROM $c.`$name`.versions").count() == 2)
      }
      sql(s"CREATE NAMESPACE $c.`my space`")
      sql(s"CREATE TABLE $c.`my space`.`a table` AS SELECT 1 AS a")
      assert(rows(sql(s"SELECT * FROM $c.`my space`.`a table`")) == Set(Row(1)))
      sql(s"DROP TABLE $c.`a table`")
      assert(!Files.exists(Path.of(root, "a table.lance")))
      assert(refusal(sql(s"CREATE TABLE $c.`a$$b` (i INT)")).contains("separates the parts of names"))
    }
  }

  test("names are never paths: slashes, backslashes, dots, control characters and empty parts are refused") {
    val root = freshPath()
    val victim = s"$root/victim"
    sql(s"CREATE TABLE lance.`$victim.lance` AS SELECT 1 AS a")
    at(s"$root/lake") { (c, _) =>
      sql(s"CREATE NAMESPACE $c.n")
      sql(s"CREATE TABLE $c.t AS SELECT 1 AS a")
      val odd = Seq("../victim", s"$victim.lance", "a/b", "a\\b", "..", ".", "a\u0007b", "a$b")
      val before = new java.io.File(s"$root/lake").list().toSet
      val statements = odd.map(name => s"`$name`").flatMap { name =>
        Seq(
          s"CREATE TABLE $c.$name (a INT)",
          s"CREATE TABLE IF NOT EXISTS $c.n.$name (a INT)",
          s"CREATE TABLE $c.$name AS SELECT 1 AS a",
          s"CREATE OR REPLACE TABLE $c.$name AS SELECT 1 AS a",
          s"SELECT * FROM $c.$name",
          s"SELECT * FROM $c.n.$name VERSION AS OF 1",
          s"SELECT * FROM $c.$name.versions",
          s"SELECT * FROM $c.$name.branch_x",
          s"INSERT INTO $c.$name VALUES (1)",
          s"DELETE FROM $c.$name",
          s"DROP TABLE $c.$name",
          s"DROP TABLE IF EXISTS $c.n.$name",
          s"ALTER TABLE $c.$name RENAME TO u",
          s"ALTER TABLE $c.t RENAME TO $name",
          s"ALTER TABLE $c.$name ADD COLUMN b INT",
          s"CREATE NAMESPACE $c.$name",
          s"CREATE NAMESPACE IF NOT EXISTS $c.n.$name",
          s"DROP NAMESPACE $c.$name CASCADE",
          s"DESCRIBE NAMESPACE $c.$name",
          s"ALTER NAMESPACE $c.$name SET PROPERTIES (k = 'v')",
          s"SHOW TABLES IN $c.$name",
          s"SHOW NAMESPACES IN $c.$name",
          s"CREATE TABLE $c.$name.t (a INT)",
          s"SELECT * FROM $c.$name.t",
          s"CALL $c.system.versions('$c.${name.replace("\\", "\\\\")}')"
        )
      }
      statements.foreach { statement =>
        assert(refusal(sql(statement).collect()).contains("cannot be called"), statement)
      }
      val catalog = spark.sessionState.catalogManager.catalog(c).asInstanceOf[LanceCatalog]
      Seq(Array.empty[String] -> "", Array("") -> "t").foreach { case (namespace, name) =>
        val ident = org.apache.spark.sql.connector.catalog.Identifier.of(namespace, name)
        assert(refusal(catalog.loadTable(ident)).contains("it is empty"))
        assert(refusal(catalog.dropTable(ident)).contains("it is empty"))
      }
      Seq("../../x", "a//b", "..", "a\\b").foreach { branch =>
        assert(refusal(sql(s"SELECT * FROM $c.t.`branch_$branch`")).contains("A branch cannot be called"))
      }
      assert(refusal(sql(s"SELECT * FROM $c.t.`tag_../x`")).contains("A tag cannot be called"))
      val mergeName = s"$c.mergeSchema.`{}`.`$victim.lance`"
      assert(refusal(sql(s"SELECT * FROM $mergeName")).contains("cannot be called"))
      assert(rows(sql(s"SELECT * FROM $c.t")) == Set(Row(1)))
      assert(new java.io.File(s"$root/lake").list().toSet == before)
      assert(rows(load(s"$victim.lance")) == Set(Row(1)))
    }
  }

  test("a catalog without a directory has no paths, unless it is the catalog lance") {
    val path = freshPath()
    sql(s"CREATE TABLE lance.`$path` AS SELECT 1 AS a")
    val name = s"lake${DirectoryCatalogSuite.count.incrementAndGet()}"
    spark.conf.set(s"spark.sql.catalog.$name", classOf[LanceCatalog].getName)
    val refused = refusal(sql(s"SELECT * FROM $name.`$path`"))
    assert(refused.contains("which has no directory of tables: write lance.`/directory/of/the/table`"))
    assert(refusal(sql(s"CREATE TABLE $name.`$path-2` (a INT)")).contains("no directory of tables"))
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

  test(
    "a failing statement on a place of its own leaves nothing, also where others have made the table meanwhile"
  ) {
    withCatalog { (c, root) =>
      sql(s"CREATE NAMESPACE $c.n")
      val catalog = spark.sessionState.catalogManager.catalog(c).asInstanceOf[LanceCatalog]
      val ident = org.apache.spark.sql.connector.catalog.Identifier.of(Array("n"), "t")
      def staged() = catalog.stageCreate(
        ident,
        Array(org.apache.spark.sql.connector.catalog.Column.create(
          "a",
          org.apache.spark.sql.types.IntegerType
        )),
        Array.empty,
        java.util.Map.of()
      )
      val (first, second) = (staged(), staged())
      first.commitStagedChanges()
      assert(refusal(second.commitStagedChanges()).contains("already"))
      second.abortStagedChanges()
      assert(new java.io.File(root).list().count(_.endsWith("n$t")) == 1)
      assert(sql(s"SELECT * FROM $c.n.t").isEmpty)
    }
  }

  test("views are refused") {
    withCatalog { (c, _) =>
      sql(s"CREATE TABLE $c.t AS SELECT 1 AS a")
      assert(message(sql(s"CREATE VIEW $c.v AS SELECT * FROM $c.t")).contains("does not support views"))
    }
  }

  test("a catalog that points to a file, or nowhere, or is told what no catalog knows") {
    val file = freshPath()
    val _ = Files.writeString(Path.of(file), "no directory")
    at(file) { (c, _) =>
      Seq(s"SHOW TABLES IN $c", s"CREATE TABLE $c.t (a INT)", s"CREATE NAMESPACE $c.n").foreach { statement =>
        assert(refusal(sql(statement).collect()).contains(s"$file is a file"))
      }
      assert(Files.readString(Path.of(file)) == "no directory")
    }
    withCatalog { (c, root) =>
      assert(names(s"SHOW TABLES IN $c").isEmpty && !Files.exists(Path.of(root)))
    }
    withCatalog { (c, _) =>
      spark.conf.set(s"spark.sql.catalog.$c.folder", "/tmp")
      val refused = refusal(sql(s"SHOW TABLES IN $c"))
      assert(refused.contains(s"spark.sql.catalog.$c.folder is no option of a catalog. There are warehouse"))
    }
    withCatalog { (c, _) =>
      spark.conf.set(s"spark.sql.catalog.$c.warehous", "/tmp")
      assert(refusal(sql(s"SHOW TABLES IN $c")).contains("Did you mean 'warehouse'?"))
    }
    withCatalog { (c, _) =>
      spark.conf.set(s"spark.sql.catalog.$c.root", "/tmp")
      assert(refusal(sql(s"SHOW TABLES IN $c")).contains("Leave one out"))
    }
    withCatalog { (c, _) =>
      spark.conf.set(s"spark.sql.catalog.$c.impl", "rest")
      assert(refusal(sql(s"SHOW TABLES IN $c")).contains("impl cannot be 'rest'"))
    }
  }

  test("two catalogs on one directory see the same, also what others drop under a reader") {
    withCatalog { (c, root) =>
      at(root) { (d, _) =>
        sql(s"CREATE NAMESPACE $c.n")
        sql(s"CREATE TABLE $c.n.t AS SELECT id FROM range(10)")
        val reader = sql(s"SELECT * FROM $d.n.t")
        assert(reader.count() == 10)
        sql(s"DROP TABLE $d.n.t")
        assert(message(sql(s"SELECT * FROM $c.n.t")).contains("TABLE_OR_VIEW_NOT_FOUND"))
        assert(refusal(reader.collect()).contains("it was removed by hand, or together with old versions"))
        sql(s"CREATE TABLE $c.n.t AS SELECT 'new' AS x")
        assert(rows(sql(s"SELECT * FROM $d.n.t")) == Set(Row("new")))
      }
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

  test("t.branch_x is read and written, t.tag_x is read") {
    withCatalog { (c, root) =>
      sql(s"CREATE NAMESPACE $c.n")
      Seq("t", "n.t").foreach { t =>
        sql(s"CREATE TABLE $c.$t AS SELECT 1 AS a")
        sql(s"CALL $c.system.create_branch('$c.$t', 'exp/one')")
        sql(s"CALL $c.system.create_tag('$c.$t', 'first')")
        sql(s"INSERT INTO $c.$t.`branch_exp/one` VALUES (2)")
        sql(s"DELETE FROM $c.$t.`branch_exp/one` WHERE a = 1")
        assert(rows(sql(s"SELECT * FROM $c.$t.`branch_exp/one`")) == Set(Row(2)))
        assert(rows(sql(s"SELECT * FROM $c.$t.`branch_exp/one` VERSION AS OF 2")) == Set(Row(1), Row(2)))
        assert(rows(sql(s"SELECT * FROM $c.$t")) == Set(Row(1)))
        sql(s"INSERT INTO $c.$t VALUES (3)")
        assert(rows(sql(s"SELECT * FROM $c.$t.tag_first")) == Set(Row(1)))
        val versions = sql(s"SELECT version FROM $c.$t.`branch_exp/one`.versions").collect()
        assert(versions.map(_.getLong(0)).toSeq == Seq(3, 2, 1))
        assert(message(sql(s"INSERT INTO $c.$t.tag_first VALUES (1)")).contains("does not support append"))
        assert(refusal(sql(s"SELECT * FROM $c.$t.branch_no")).contains("no branch 'no'"))
        assert(
          refusal(sql(s"SELECT * FROM $c.$t.tag_first VERSION AS OF 1")).contains("Leave one of them out")
        )
      }
      assert(rows(sql(s"SELECT * FROM lance.`$root/t.lance`.`branch_exp/one`")) == Set(Row(2)))
    }
  }

  test("a table goes before a metadata table, a branch or a tag of that name") {
    withCatalog { (c, _) =>
      sql(s"CREATE NAMESPACE $c.n")
      sql(s"CREATE TABLE $c.n.versions AS SELECT 'mine' AS a")
      assert(rows(sql(s"SELECT * FROM $c.n.versions")) == Set(Row("mine")))
      assert(sql(s"SELECT version FROM $c.n.versions.versions").collect().toSeq == Seq(Row(1L)))
    }
  }
}

object DirectoryCatalogSuite {
  private val count = new AtomicInteger
}
