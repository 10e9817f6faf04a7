package io.sparklance.spark

import java.nio.file.{Files, Path}

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.col

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.session.LanceCatalogs

/** Tables with names: Spark's session catalog with ours around it. */
final class SessionCatalogSuite extends SparkSuite {
  private def version(path: String): Long = Dataset.open(LocalStore, path).version

  test("the extension has installed both catalogs, without configuration") {
    sql("SELECT 1").collect()
    assert(spark.conf.get("spark.sql.catalog.spark_catalog") ==
      "io.sparklance.spark.LanceSessionCatalog")
    assert(spark.conf.get("spark.sql.catalog.lance") == "io.sparklance.spark.LanceCatalog")
  }

  test("the names of the catalogs' classes, which stand as text, are those of the classes") {
    assert(LanceCatalogs.PathCatalog == classOf[LanceCatalog].getName)
    assert(LanceCatalogs.SessionCatalog == classOf[LanceSessionCatalog].getName)
  }

  test("CREATE TABLE leaves version 1 on disk") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT, name STRING) USING lance")
      assert(version(root(t)) == 1)
      assert(spark.table(t).count() == 0)
    }
  }

  test("CREATE TABLE with a LOCATION puts it there, and DROP leaves the data") {
    withTable { t =>
      val path = freshPath()
      sql(s"CREATE TABLE $t (id INT) USING lance LOCATION '$path'")
      sql(s"INSERT INTO $t VALUES (1)")
      assert(load(path).count() == 1)
      sql(s"DROP TABLE $t")
      assert(load(path).count() == 1)
    }
  }

  test("CREATE TABLE over a LOCATION with data registers the existing table") {
    withTable { t =>
      val path = freshPath()
      spark.range(5).write.format("lance").save(path)
      sql(s"CREATE TABLE $t USING lance LOCATION '$path'")
      assert(spark.table(t).count() == 5)
      assert(version(path) == 1)
      sql(s"DROP TABLE $t")
      sql(s"CREATE TABLE $t (id BIGINT) USING lance LOCATION '$path'")
      assert(spark.table(t).count() == 5)
      sql(s"DROP TABLE $t")
      assert(
        refusal(sql(s"CREATE TABLE $t (a INT) USING lance LOCATION '$path'")).contains("has other columns")
      )
      assert(
        refusal(sql(s"CREATE TABLE $t USING lance LOCATION '$path' AS SELECT 1 AS id")).contains("already")
      )
    }
  }

  test("the manifest alone decides the columns") {
    withTable { t =>
      val path = freshPath()
      sql(s"CREATE TABLE $t (id INT) USING lance LOCATION '$path'")
      spark.range(3).selectExpr("id", "'x' AS name").write.format("lance").mode("overwrite").save(path)
      assert(spark.table(t).columns.toSeq == Seq("id", "name"))
      assert(sql(s"SELECT name FROM $t").count() == 3)
    }
  }

  test("INSERT INTO adds, INSERT OVERWRITE replaces, TRUNCATE empties") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT, name STRING) USING lance")
      sql(s"INSERT INTO $t VALUES (1, 'a'), (2, NULL)")
      sql(s"INSERT INTO $t (name, id) VALUES ('c', 3)")
      assert(rows(spark.table(t)) == Set(Row(1, "a"), Row(2, null), Row(3, "c")))
      sql(s"INSERT OVERWRITE $t SELECT id + 10, name FROM $t WHERE id > 1")
      assert(rows(spark.table(t)) == Set(Row(12, null), Row(13, "c")))
      sql(s"TRUNCATE TABLE $t")
      assert(spark.table(t).count() == 0)
      assert(rows(sql(s"SELECT * FROM $t VERSION AS OF 2")) == Set(Row(1, "a"), Row(2, null)))
    }
  }

  test("filters, aggregates and joins are right") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT id, id % 3 AS m, CAST(id AS STRING) AS s FROM range(100)")
      assert(sql(s"SELECT s FROM $t WHERE m = 2 AND id > 95").collect().map(_.getString(0)).toSet ==
        Set("98"))
      assert(sql(s"SELECT m, count(*), sum(id) FROM $t GROUP BY m ORDER BY m").collect().toSeq ==
        Seq(Row(0L, 34L, 1683L), Row(1L, 33L, 1617L), Row(2L, 33L, 1650L)))
      assert(sql(s"SELECT count(*) FROM $t a JOIN $t b ON a.id = b.m").head().getLong(0) == 100)
      assert(sql(s"SELECT id FROM $t ORDER BY id DESC LIMIT 2").collect().toSeq == Seq(Row(99L), Row(98L)))
    }
  }

  test("CTAS makes one version with all rows; a failing one leaves nothing") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT id, 'n' || id AS name FROM range(3)")
      assert(rows(spark.table(t)) == Set(Row(0L, "n0"), Row(1L, "n1"), Row(2L, "n2")))
      assert(version(root(t)) == 1)
    }
    withTable { t =>
      intercept[Exception](
        sql(s"CREATE TABLE $t USING lance AS SELECT id, raise_error('no') || '' AS x FROM range(3)")
      )
      assert(!spark.catalog.tableExists(t))
      assert(!Files.exists(Path.of(root(t))))
      sql(s"CREATE TABLE $t USING lance AS SELECT id FROM range(3)")
      assert(spark.table(t).count() == 3)
    }
  }

  test("RTAS replaces rows and columns in one version; a failing one leaves the table as it was") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT id FROM range(3)")
      sql(s"REPLACE TABLE $t USING lance TBLPROPERTIES (k = 'v') AS SELECT id, 'n' AS name FROM range(2)")
      assert(rows(spark.table(t)) == Set(Row(0L, "n"), Row(1L, "n")))
      assert(version(root(t)) == 2)
      assert(sql(s"SHOW TBLPROPERTIES $t").where("key = 'k'").collect().map(_.getString(1)).toSeq == Seq("v"))
      val files = dataFiles(root(t))
      intercept[Exception](
        sql(s"CREATE OR REPLACE TABLE $t USING lance AS SELECT raise_error('no') || '' AS x FROM range(3)")
      )
      eventually(assert(dataFiles(root(t)).toSet == files.toSet))
      assert(version(root(t)) == 2)
      assert(spark.table(t).columns.toSeq == Seq("id", "name"))
      sql(s"CREATE OR REPLACE TABLE $t (a INT) USING lance")
      assert(spark.table(t).columns.toSeq == Seq("a"))
      assert(spark.table(t).count() == 0)
    }
    withTable { t =>
      assert(intercept[Exception](
        sql(s"REPLACE TABLE $t USING lance AS SELECT 1 AS a")
      ).getMessage.contains("NOT_FOUND"))
      sql(s"CREATE OR REPLACE TABLE $t USING lance AS SELECT 1 AS a")
      assert(rows(spark.table(t)) == Set(Row(1)))
    }
  }

  test("saveAsTable, insertInto and writeTo work in their modes") {
    withTable { t =>
      val frame = spark.range(3).toDF("id")
      frame.write.format("lance").saveAsTable(t)
      frame.write.format("lance").mode("append").saveAsTable(t)
      frame.write.insertInto(t)
      frame.writeTo(t).append()
      assert(spark.table(t).count() == 12)
      frame.selectExpr("id", "1 AS one").write.format("lance").mode("overwrite").saveAsTable(t)
      assert(spark.table(t).columns.toSeq == Seq("id", "one"))
      frame.selectExpr("id", "2 AS one").writeTo(t).overwrite(org.apache.spark.sql.functions.lit(true))
      assert(rows(spark.table(t).where(col("id") === 0)) == Set(Row(0L, 2)))
    }
  }

  test("time travel by version and by time") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT 1 AS a")
      Thread.sleep(1100)
      val between = java.time.Instant.now()
      Thread.sleep(50)
      sql(s"INSERT INTO $t VALUES (2)")
      assert(rows(sql(s"SELECT * FROM $t VERSION AS OF 1")) == Set(Row(1)))
      assert(rows(spark.read.option("versionAsOf", 1).table(t)) == Set(Row(1)))
      assert(rows(sql(s"SELECT * FROM $t TIMESTAMP AS OF TIMESTAMP '$between'")) == Set(Row(1)))
      assert(rows(sql(s"SELECT * FROM $t TIMESTAMP AS OF current_timestamp()")) == Set(Row(1), Row(2)))
      assert(refusal(sql(s"SELECT * FROM $t VERSION AS OF 9").collect()).contains("no version 9"))
      assert(
        refusal(sql(s"SELECT * FROM $t VERSION AS OF 'v1'").collect()).contains("no tag and no branch 'v1'")
      )
      assert(refusal(
        sql(s"SELECT * FROM $t TIMESTAMP AS OF TIMESTAMP '2001-01-01'").collect()
      ).contains("no version as old as"))
    }
  }

  test("PARTITIONED BY and CLUSTERED BY are refused, and leave nothing") {
    withTable { t =>
      assert(refusal(
        sql(s"CREATE TABLE $t (a INT, b INT) USING lance PARTITIONED BY (b)")
      ).contains("PARTITIONED BY (b) has no meaning"))
      assert(refusal(
        sql(s"CREATE TABLE $t (a INT) USING lance CLUSTERED BY (a) INTO 4 BUCKETS")
      ).contains("has no meaning"))

      assert(refusal(sql(s"CREATE TABLE $t (a VARIANT) USING lance")).contains("'a' of type variant"))
      assert(refusal(sql(s"CREATE TABLE $t (a INT) USING lance OPTIONS (versoin = '1')")).contains("versoin"))
      assert(!spark.catalog.tableExists(t))
    }
  }

  test("options of CREATE TABLE choose the file version; properties and comments are shown again") {
    withTable { t =>
      sql(
        s"CREATE TABLE $t (a INT COMMENT 'about a') USING lance OPTIONS (dataStorageVersion = '2.1') " +
          "COMMENT 'about t' TBLPROPERTIES (k = 'v')"
      )
      assert(Dataset.open(LocalStore, root(t)).fileVersion.name == "2.1")
      val shown = sql(s"SHOW CREATE TABLE $t").head().getString(0)
      Seq("USING lance", "COMMENT 'about t'", "COMMENT 'about a'", "'k' = 'v'").foreach(part =>
        assert(shown.contains(part))
      )
    }
  }

  test("a table's comment is its last statement's: replacing drops it, setting properties does not") {
    withTable { t =>
      def comment: Option[String] =
        sql(s"DESCRIBE EXTENDED $t").where("col_name = 'Comment'").collect().map(_.getString(1)).headOption
      sql(s"CREATE TABLE $t (a INT) USING lance COMMENT 'first' TBLPROPERTIES (k = 'v')")
      sql(s"ALTER TABLE $t SET TBLPROPERTIES (l = 'w')")
      assert(comment.contains("first"))
      sql(s"CREATE OR REPLACE TABLE $t (a INT) USING lance TBLPROPERTIES (k = 'v', l = 'w')")
      assert(comment.isEmpty)
      sql(s"REPLACE TABLE $t (a INT) USING lance COMMENT 'second'")
      assert(comment.contains("second"))
      sql(s"REPLACE TABLE $t (a INT) USING lance COMMENT 'third'")
      assert(comment.contains("third"))
      sql(s"COMMENT ON TABLE $t IS 'fourth'")
      assert(comment.contains("fourth"))
    }
  }

  test("ALTER TABLE sets properties and changes columns") {
    withTable { t =>
      sql(s"CREATE TABLE $t (a INT) USING lance")
      sql(s"ALTER TABLE $t SET TBLPROPERTIES (k = 'v')")
      assert(sql(s"SHOW TBLPROPERTIES $t").where("key = 'k'").count() == 1)
      sql(s"ALTER TABLE $t ADD COLUMN b INT")
      assert(spark.table(t).columns.toSeq == Seq("a", "b"))
    }
  }

  test("a table without its data is listed and dropped, and refused when it is read") {
    withTable { t =>
      val path = freshPath()
      sql(s"CREATE TABLE $t (a INT) USING lance LOCATION '$path'")
      val all = Files.walk(Path.of(path))
      all.sorted(java.util.Comparator.reverseOrder[Path]).forEach(p => Files.delete(p))
      all.close()
      assert(spark.catalog.listTables().where(col("name") === t).count() == 1)
      assert(refusal(spark.table(t).collect()).contains("no Lance table at"))
      sql(s"DROP TABLE $t")
      assert(!spark.catalog.tableExists(t))
    }
  }

  test("DROP TABLE removes a managed table, which can then be created again") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT 1 AS a")
      sql(s"DROP TABLE $t")
      assert(!Files.exists(Path.of(root(t))))
      sql(s"CREATE TABLE $t USING lance AS SELECT 'x' AS b")
      assert(rows(spark.table(t)) == Set(Row("x")))
    }
  }

  test("a managed table can be renamed, and lives in the database that was chosen") {
    sql("CREATE DATABASE IF NOT EXISTS lance_db")
    try {
      sql("CREATE TABLE lance_db.t USING lance AS SELECT 1 AS a")
      sql("ALTER TABLE lance_db.t RENAME TO lance_db.u")
      assert(rows(spark.table("lance_db.u")) == Set(Row(1)))
    } finally { val _ = sql("DROP DATABASE lance_db CASCADE") }
  }

  test("tables of other formats, views and functions pass through") {
    withTable { t =>
      sql(s"CREATE TABLE $t (a INT, b INT) USING parquet PARTITIONED BY (b)")
      sql(s"INSERT INTO $t VALUES (1, 2)")
      sql(s"ALTER TABLE $t ADD COLUMN c STRING")
      assert(rows(spark.table(t)) == Set(Row(1, null, 2)))
      sql(s"DROP TABLE $t")
      sql(s"CREATE TABLE $t USING parquet AS SELECT 1 AS a")
      assert(rows(spark.table(t)) == Set(Row(1)))
      sql(s"CREATE OR REPLACE TEMPORARY VIEW lance_view AS SELECT a + 1 AS b FROM $t")
      assert(rows(spark.table("lance_view")) == Set(Row(2)))
      assert(spark.table(t).queryExecution.executedPlan.toString.contains("FileScan parquet"))
    }
  }

  test("varchar is checked, char is padded") {
    withTable { t =>
      sql(s"CREATE TABLE $t (v VARCHAR(3), c CHAR(3)) USING lance")
      sql(s"INSERT INTO $t VALUES ('abc', 'x')")
      assert(rows(spark.table(t)) == Set(Row("abc", "x  ")))
      assert(intercept[Exception](
        sql(s"INSERT INTO $t VALUES ('abcd', 'x')")
      ).getMessage.contains("EXCEED_LIMIT_LENGTH"))
    }
  }

  test("concurrent appends both stay") {
    withTable { t =>
      sql(s"CREATE TABLE $t (a INT) USING lance")
      val threads = (0 until 4).map(i => new Thread(() => { val _ = sql(s"INSERT INTO $t VALUES ($i)") }))
      threads.foreach(_.start())
      threads.foreach(_.join())
      assert(rows(spark.table(t)) == Set(Row(0), Row(1), Row(2), Row(3)))
    }
  }
}
