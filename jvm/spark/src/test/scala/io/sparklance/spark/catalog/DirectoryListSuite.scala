package io.sparklance.spark.catalog

import org.apache.spark.sql.Row

import io.sparklance.io.LocalStore
import io.sparklance.namespace.{TableDirectory, TableName}
import io.sparklance.spark.LanceCatalog

/** Namespaces, and rows of the list of a directory. */
final class DirectoryListSuite extends DirectoryCatalogs {
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

  test("a name that was only declared is an error that says so, and can be filled or dropped") {
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

  test("an invalid row of the list is an error only for statements that need it") {
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
            refused.contains("DROP TABLE removes the row"))
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

  test("two catalogs on one directory see the same, also drops while a reader runs") {
    withCatalog { (c, root) =>
      at(root) { (d, _) =>
        sql(s"CREATE NAMESPACE $c.n")
        sql(s"CREATE TABLE $c.n.t AS SELECT id FROM range(10)")
        val reader = sql(s"SELECT * FROM $d.n.t")
        assert(reader.count() == 10)
        sql(s"DROP TABLE $d.n.t")
        assert(message(sql(s"SELECT * FROM $c.n.t")).contains("TABLE_OR_VIEW_NOT_FOUND"))
        assert(refusal(reader.collect()).contains("was dropped, or its directory deleted or moved"))
        sql(s"CREATE TABLE $c.n.t AS SELECT 'new' AS x")
        assert(rows(sql(s"SELECT * FROM $d.n.t")) == Set(Row("new")))
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
}
