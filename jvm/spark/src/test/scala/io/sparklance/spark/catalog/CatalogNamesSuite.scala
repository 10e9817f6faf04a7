package io.sparklance.spark.catalog

import java.nio.file.{Files, Path}

import org.apache.spark.sql.Row

import io.sparklance.spark.LanceCatalog

/** Names of tables in a catalog, and settings of a catalog. */
final class CatalogNamesSuite extends DirectoryCatalogs {
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
    val name = s"lake${DirectoryCatalogs.count.incrementAndGet()}"
    spark.conf.set(s"spark.sql.catalog.$name", classOf[LanceCatalog].getName)
    val refused = refusal(sql(s"SELECT * FROM $name.`$path`"))
    assert(refused.contains(
      s"has no directory of tables, so it cannot have '$path'. Write lance.`/directory/of/the/table`"
    ))
    assert(refusal(sql(s"CREATE TABLE $name.`$path-2` (a INT)")).contains("no directory of tables"))
  }

  test("a catalog whose directory is a file or missing, or which has unknown options") {
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
      assert(
        refused.contains(s"spark.sql.catalog.$c.folder is not an option of a catalog. There are warehouse")
      )
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

  test("a table takes precedence over a metadata table, a branch or a tag of that name") {
    withCatalog { (c, _) =>
      sql(s"CREATE NAMESPACE $c.n")
      sql(s"CREATE TABLE $c.n.versions AS SELECT 'mine' AS a")
      assert(rows(sql(s"SELECT * FROM $c.n.versions")) == Set(Row("mine")))
      assert(sql(s"SELECT version FROM $c.n.versions.versions").collect().toSeq == Seq(Row(1L)))
    }
  }
}
