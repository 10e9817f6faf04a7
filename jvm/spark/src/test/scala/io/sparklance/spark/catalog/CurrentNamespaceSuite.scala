package io.sparklance.spark.catalog

import java.nio.file.{Files, Path}

import org.apache.spark.sql.Row

/** Names after USE. */
final class CurrentNamespaceSuite extends DirectoryCatalogs {

  private def using[A](place: String)(body: => A): A =
    try {
      sql(s"USE $place")
      body
    } finally { val _ = sql("USE spark_catalog.default") }

  test("after USE of a catalog, names are those of tables without a namespace") {
    withCatalog { (c, directory) =>
      sql(s"CREATE NAMESPACE $c.n")
      sql(s"CREATE TABLE $c.n.u AS SELECT 2 AS a")
      using(c) {
        assert(spark.catalog.currentDatabase == "root")
        sql("CREATE TABLE t AS SELECT 1 AS a")
        assert(Files.exists(Path.of(directory, "t.lance")))
        sql("INSERT INTO t VALUES (3)")
        sql("ALTER TABLE t RENAME TO v")
        sql(s"ALTER TABLE v RENAME TO $c.root.w")
        sql(s"ALTER TABLE $c.w RENAME TO t")
        Seq("t", "root.t", s"$c.t", s"$c.root.t").foreach { name =>
          assert(rows(sql(s"SELECT * FROM $name")) == Set(Row(1), Row(3)))
          assert(sql(s"SELECT version FROM $name.versions").count() == 2)
          assert(sql(s"CALL system.detail('$name')").count() == 1)
        }
        assert(rows(spark.table("n.u")) == Set(Row(2)))
        assert(names("SHOW TABLES") == Seq("t") && names("SHOW TABLES IN root") == Seq("t"))
        assert(names("SHOW NAMESPACES") == Seq("n"))
        assert(spark.catalog.listTables().filter("NOT isTemporary").collect().map(_.name).toSeq == Seq("t"))
        assert(spark.catalog.tableExists("t") && spark.catalog.getTable("t").name == "t")
        assert(spark.catalog.databaseExists("root") && spark.catalog.listColumns("t").count() == 1)
        assert(spark.catalog.listFunctions().collect().nonEmpty)
        assert(rows(sql("SELECT CAST(l2(array(1F), array(2F)) AS INT)")) == Set(Row(1)))
        sql("CREATE NAMESPACE IF NOT EXISTS root")
        assert(refusal(sql("DROP NAMESPACE root")).contains("stands for the tables without a namespace"))
        assert(message(sql("CREATE NAMESPACE root.inner")).contains("SCHEMA_NOT_FOUND"))
        assert(sql("DESCRIBE NAMESPACE root").count() > 0)
      }
    }
  }

  test("t.versions in spark_catalog is in its own current database, after USE of another catalog") {
    withCatalog { (c, _) =>
      sql(s"CREATE NAMESPACE $c.n")
      withTable { t =>
        sql(s"CREATE TABLE $t USING lance AS SELECT 1 AS a")
        Seq(c, s"$c.n").foreach { place =>
          val versions = using(place)(sql(s"SELECT version FROM spark_catalog.$t.versions").collect().toSeq)
          assert(versions == Seq(Row(1L)))
        }
      }
    }
  }

  test("a procedure finds names in its own catalog first, whatever is current") {
    withCatalog { (a, _) =>
      withCatalog { (b, _) =>
        Seq(a, b).foreach(c => sql(s"CREATE NAMESPACE $c.n"))
        Seq(s"$a.n.t", s"$b.n.t", s"$a.only", s"$b.t").foreach(t => sql(s"CREATE TABLE $t (a INT)"))
        def found(catalog: String, name: String): String =
          sql(s"CALL $catalog.system.detail('$name')").head().getAs[String]("location")
        def own(name: String): String = sql(s"DESCRIBE DETAIL $name").head().getAs[String]("location")
        using(a) {
          assert(found(b, "n.t") == own(s"$b.n.t") && found(b, "t") == own(s"$b.t"))
          assert(found(b, s"$a.n.t") == own("n.t") && found(a, "n.t") == own(s"$a.n.t"))
          assert(found("lance", "n.t") == own("n.t") && found("lance", "only") == own(s"$a.only"))
          assert(message(found(b, "only")).contains(s"[$b, root, only]"))
          sql("OPTIMIZE n.t")
          withTable { t =>
            sql(s"CREATE TABLE spark_catalog.default.$t (a INT) USING lance")
            try assert(found("spark_catalog", t).endsWith(t))
            finally { val _ = sql(s"DROP TABLE spark_catalog.default.$t") }
          }
        }
        assert(found(b, "n.t") == own(s"$b.n.t") && found(b, "t") == own(s"$b.t"))
      }
    }
  }

  test("a table that is missing is not found, after USE of a catalog or of a namespace") {
    withCatalog { (c, _) =>
      sql(s"CREATE NAMESPACE $c.n")
      for (place <- Seq(c, s"$c.n", "lance")) using(place) {
        for (name <- Seq("n.missing", "n.missing.versions", "missing", "missing.tag_x", s"$c.n.missing")) {
          Seq(
            s"SELECT * FROM $name",
            s"DESCRIBE $name",
            s"INSERT INTO $name VALUES (1)",
            s"ALTER TABLE $name SET TBLPROPERTIES (a = 'b')",
            s"DROP TABLE $name"
          ).foreach { statement =>
            val answer = message(sql(statement).collect())
            val noRoot = place == "lance" && !name.startsWith(c) && answer.contains("is not a path")
            assert(answer.contains("TABLE_OR_VIEW_NOT_FOUND") || noRoot, s"$statement after USE $place")
          }
          if (place != "lance") assert(!spark.catalog.tableExists(name))
        }
      }
    }
  }

  test("a namespace of the name `root` comes before the root") {
    withCatalog { (c, directory) =>
      sql(s"CREATE TABLE $c.t AS SELECT 1 AS a")
      val list = new io.sparklance.namespace.TableDirectory(io.sparklance.io.LocalStore, directory)
      list.create(Vector("root"), Map.empty)
      using(c) {
        sql("CREATE TABLE t AS SELECT 2 AS a")
        assert(rows(sql("SELECT * FROM t")) == Set(Row(2)) && rows(sql(s"SELECT * FROM $c.t")) == Set(Row(1)))
        sql("CREATE NAMESPACE root.inner")
        sql("DROP NAMESPACE root CASCADE")
        assert(rows(sql("SELECT * FROM t")) == Set(Row(1)))
      }
    }
  }

  test("paths are tables after USE lance") {
    val path = freshPath()
    spark.range(3).write.format("lance").save(path)
    using("lance") {
      assert(sql(s"SELECT * FROM `$path`").count() == 3)
      assert(sql(s"SELECT * FROM `$path` TIMESTAMP AS OF current_timestamp()").count() == 3)
      assert(sql(s"SELECT * FROM `$path`.versions").count() == 1)
    }
  }

  test("the new name of a table may begin with its catalog, and stays in the namespace if it is short") {
    withCatalog { (c, _) =>
      sql(s"CREATE NAMESPACE $c.n")
      sql(s"CREATE TABLE $c.n.t AS SELECT 1 AS a")
      sql(s"ALTER TABLE $c.n.t RENAME TO $c.n.u")
      sql(s"ALTER TABLE $c.n.u RENAME TO v")
      assert(rows(sql(s"SELECT * FROM $c.n.v")) == Set(Row(1)))
      sql(s"CREATE NAMESPACE $c.$c")
      sql(s"ALTER TABLE $c.n.v RENAME TO $c.w")
      assert(rows(sql(s"SELECT * FROM $c.$c.w")) == Set(Row(1)))
    }
    withTable { t =>
      sql(s"CREATE TABLE ${t}_old USING lance AS SELECT 1 AS a")
      sql(s"ALTER TABLE ${t}_old RENAME TO spark_catalog.default.$t")
      assert(rows(spark.table(t)) == Set(Row(1)))
    }
  }
}
