package io.sparklance.spark

import java.nio.file.{Files, Path}

import org.apache.spark.sql.Row
import org.apache.spark.sql.connector.catalog.{Column, Identifier, StagingTableCatalog}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.IntegerType

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore

/** Tables with names lose nothing and are never stale. */
final class NamedTableSafetySuite extends SparkSuite {
  test("a table of another format is not dropped to be replaced by its own rows") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING parquet AS SELECT 1 AS a")
      assert(refusal(sql(s"CREATE OR REPLACE TABLE $t USING lance AS SELECT a FROM $t")).contains(
        "is not a Lance table"
      ))
      assert(rows(spark.table(t)) == Set(Row(1)))
    }
  }

  test("a table is not dropped to be replaced by one at another place") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT 1 AS a")
      assert(
        refusal(sql(s"CREATE OR REPLACE TABLE $t USING lance LOCATION '${freshPath()}' AS SELECT a FROM $t"))
          .contains("lies at")
      )
      assert(rows(spark.table(t)) == Set(Row(1)))
    }
  }

  test("a table without its data can be replaced") {
    withTable { t =>
      val path = freshPath()
      sql(s"CREATE TABLE $t (a INT) USING lance LOCATION '$path'")
      val all = Files.walk(Path.of(path))
      all.sorted(java.util.Comparator.reverseOrder[Path]).forEach(p => Files.delete(p))
      all.close()
      sql(s"CREATE OR REPLACE TABLE $t USING lance LOCATION '$path' AS SELECT 'x' AS b")
      assert(rows(spark.table(t)) == Set(Row("x")))
      assert(rows(load(path)) == Set(Row("x")))
    }
  }

  test("a table that cannot be opened is listed and dropped, and refused when it is used") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT 1 AS a")
      val versions = Files.list(Path.of(root(t), "_versions"))
      val manifest = versions.filter(_.toString.endsWith(".manifest")).findFirst.get
      versions.close()
      Files.write(manifest, Array[Byte](1, 2, 3))
      assert(spark.catalog.listTables().where(col("name") === t).count() == 1)
      assert(refusal(spark.table(t).collect()).contains("not a manifest file"))
      assert(refusal(sql(s"INSERT INTO $t VALUES (2)")).contains("not a manifest file"))
      sql(s"DROP TABLE $t")
      assert(!spark.catalog.tableExists(t))
      assert(!Files.exists(Path.of(root(t))))
    }
  }

  test("CACHE TABLE keeps a version, and new versions are seen") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT 1 AS a")
      sql(s"CACHE TABLE $t")
      assert(spark.table(t).queryExecution.withCachedData.toString.contains("InMemoryRelation"))
      sql(s"INSERT INTO $t VALUES (2)")
      assert(rows(spark.table(t)) == Set(Row(1), Row(2)))
      spark.range(1).selectExpr("5 AS a").write.format("lance").mode("append").save(root(t))
      // Later versions of Spark keep the cache until the session writes to the table or refreshes it.
      if (!spark.version.startsWith("4.0.")) sql(s"REFRESH TABLE $t")
      assert(rows(spark.table(t)) == Set(Row(1), Row(2), Row(5)))
      assert(rows(sql(s"SELECT * FROM $t VERSION AS OF 1")) == Set(Row(1)))
      sql(s"DROP TABLE $t")
      sql(s"CREATE TABLE $t USING lance AS SELECT 9 AS a")
      assert(rows(spark.table(t)) == Set(Row(9)))
    }
  }

  test("EXPLAIN of a write has no effect") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT 1 AS a")
      val files = dataFiles(root(t)).toSet
      Seq(
        s"INSERT INTO $t SELECT 2 AS a",
        s"INSERT OVERWRITE $t SELECT 2 AS a",
        s"CREATE OR REPLACE TABLE $t USING lance AS SELECT 2 AS a",
        s"CREATE TABLE ${t}_other USING lance AS SELECT 2 AS a"
      ).foreach(statement => sql(s"EXPLAIN EXTENDED $statement").collect())
      assert(Dataset.open(LocalStore, root(t)).version == 1)
      assert(dataFiles(root(t)).toSet == files)
      assert(!spark.catalog.tableExists(s"${t}_other"))
    }
  }

  test("Lance can be the default format, and IF NOT EXISTS leaves an existing table") {
    withTable { t =>
      withSetting("spark.sql.sources.default", "lance") {
        sql(s"CREATE TABLE $t (a INT)")
        spark.range(2).selectExpr("CAST(id AS INT) AS A").write.mode("append").saveAsTable(t)
        sql(s"CREATE TABLE IF NOT EXISTS $t AS SELECT 'x' AS b")
      }
      assert(Dataset.open(LocalStore, root(t)).version == 2)
      assert(rows(spark.table(t)) == Set(Row(0), Row(1)))
    }
  }

  test("a view over a table sees its versions, and is not one of our tables") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT 1 AS a")
      sql(s"CREATE VIEW ${t}_view AS SELECT a + 1 AS b FROM $t")
      try {
        sql(s"INSERT INTO $t VALUES (2)")
        assert(rows(spark.table(s"${t}_view")) == Set(Row(2), Row(3)))
        assert(sql(s"SHOW CREATE TABLE ${t}_view").head().getString(0).contains("CREATE VIEW"))
      } finally { val _ = sql(s"DROP VIEW ${t}_view") }
    }
  }

  test("a replaced table loses the properties that it had") {
    withTable { t =>
      sql(s"CREATE TABLE $t (a INT) USING lance TBLPROPERTIES (k = 'v', l = 'w')")
      sql(s"REPLACE TABLE $t (a INT) USING lance TBLPROPERTIES (l = 'x')")
      val shown = sql(s"SHOW TBLPROPERTIES $t").collect().map(r => r.getString(0) -> r.getString(1)).toMap
      assert(shown.get("k").isEmpty)
      assert(shown.get("l").contains("x"))
    }
  }

  test("a session default for the files' version yields to the statement, and to a table that exists") {
    withTable { t =>
      withSetting("spark.datasource.lance.dataStorageVersion", "2.1") {
        sql(s"CREATE TABLE $t USING lance OPTIONS (dataStorageVersion = '2.2') AS SELECT 1 AS a")
        assert(Dataset.open(LocalStore, root(t)).fileVersion.name == "2.2")
        sql(s"INSERT INTO $t VALUES (2)")
        assert(rows(spark.table(t)) == Set(Row(1), Row(2)))
        sql(s"CREATE OR REPLACE TABLE $t USING lance AS SELECT 1 AS a")
        assert(Dataset.open(LocalStore, root(t)).fileVersion.name == "2.1")
      }
    }
  }

  test("OPTIONS of CTAS count for its rows too, and are no default") {
    withTable { t =>
      sql(
        s"CREATE TABLE $t USING lance OPTIONS (maxRowsPerFile = '10') AS SELECT /*+ COALESCE(1) */ id FROM range(25)"
      )
      assert(Dataset.open(LocalStore, root(t)).fragments.size == 3)
    }
  }

  test("a CTAS that fails does not drop the table that took its place") {
    withTable { t =>
      sql(s"CREATE TABLE $t (a INT) USING lance")
      val relation = spark.table(t).queryExecution.analyzed.collectFirst { case r: DataSourceV2Relation => r }
      val catalog = relation.get.catalog.get.asInstanceOf[StagingTableCatalog]
      sql(s"DROP TABLE $t")
      val staged = catalog.stageCreate(
        Identifier.of(Array("default"), t),
        Array(Column.create("a", IntegerType)),
        Array.empty[Transform],
        java.util.Map.of("provider", "lance")
      )
      sql(s"DROP TABLE $t")
      sql(s"CREATE TABLE $t USING lance AS SELECT 1 AS a")
      assert(refusal(staged.commitStagedChanges()).contains("already"))
      staged.abortStagedChanges()
      assert(rows(spark.table(t)) == Set(Row(1)))
      sql(s"DROP TABLE $t")
      staged.abortStagedChanges()
    }
  }
}
