package io.sparklance.spark.catalog

import java.io.File
import java.nio.file.{Files, Path}

import org.apache.spark.sql.Row
import org.scalatest.Assertion

import io.sparklance.spark.{LanceCatalog, SparkSuite}

/** Statements that would put a table into a directory of other files. */
final class OtherFilesSuite extends SparkSuite {
  private val formats = Seq("parquet", "json", "csv", "orc")

  /** A directory of files of another format, with two rows. */
  private def other(format: String = "parquet", path: String = freshPath()): String = {
    sql("SELECT id FROM range(2)").coalesce(1).write.format(format).save(path)
    path
  }

  private def contents(path: String): Set[String] = {
    val all = Files.walk(Path.of(path))
    try all.filter(p => Files.isRegularFile(p)).toArray.map(_.toString).toSet
    finally all.close()
  }

  private def refusing(path: String)(body: => Any): Assertion = {
    val before = contents(path)
    val message = refusal(body)
    assert(message.contains("cannot be created at") && message.contains(s"$path`"), message)
    assert(message.contains("the directory has no table, but 1 .") &&
      message.contains("CREATE TABLE … USING lance AS"))
    assert(contents(path) == before)
  }

  formats.foreach { format =>
    test(s"save refuses a directory of $format files in each mode, and the named statement converts them") {
      val path = other(format)
      Seq("error", "ignore", "append", "overwrite").foreach { mode =>
        refusing(path)(spark.range(5).write.format("lance").mode(mode).save(path))
        refusing(path)(spark.range(5).write.format("lance").save(path))
      }
      assert(spark.read.format(format).load(path).count() == 2)
      val target = freshPath()
      sql(s"CREATE TABLE lance.`$target` USING lance AS SELECT * FROM $format.`$path`")
      assert(load(target).count() == 2)
    }
  }

  test("CREATE TABLE and its kin refuse such a directory by its path, before a job runs") {
    val path = other()
    val rows = "SELECT raise_error('ran') AS a FROM range(3)"
    Seq(
      s"CREATE TABLE lance.`$path` (a INT)",
      s"CREATE TABLE lance.`$path` AS $rows",
      s"CREATE OR REPLACE TABLE lance.`$path` AS $rows",
      s"CREATE TABLE IF NOT EXISTS lance.`$path` (a INT)"
    ).foreach(statement => refusing(path)(sql(statement)))
    val frame = spark.range(3).toDF("a")
    refusing(path)(frame.writeTo(s"lance.`$path`").create())
    refusing(path)(frame.writeTo(s"lance.`$path`").createOrReplace())
    refusing(path)(frame.write.format("lance").option(
      "uncommitted",
      java.util.UUID.randomUUID.toString
    ).save(path))
  }

  test("LOCATION refuses such a directory, and leaves no name behind") {
    withTable { t =>
      val path = other()
      val frame = spark.range(3).toDF("a")
      def using(clause: String) = s"$t (a INT) USING lance LOCATION '$path' $clause"
      refusing(path)(sql(s"CREATE TABLE ${using("")}"))
      refusing(path)(sql(s"CREATE TABLE IF NOT EXISTS ${using("")}"))
      refusing(path)(sql(s"CREATE OR REPLACE TABLE ${using("")}"))
      refusing(path)(sql(s"CREATE TABLE $t USING lance LOCATION '$path' AS SELECT 1 AS a"))
      refusing(path)(frame.write.format("lance").option("path", path).saveAsTable(t))
      refusing(path)(frame.write.format("lance").mode("overwrite").option("path", path).saveAsTable(t))
      refusing(path)(spark.catalog.createTable(t, "lance", frame.schema, Map("path" -> path)))
      assert(!spark.catalog.tableExists(t))
      sql(s"CREATE TABLE $t USING lance AS SELECT * FROM parquet.`$path`")
      assert(spark.table(t).count() == 2)
    }
  }

  test("a path of Windows as the location of a table is refused in one line") {
    withTable { t =>
      val made = Seq[() => Any](
        () => spark.range(2).write.format("lance").option("path", "C:\\data\\t").saveAsTable(t),
        () => sql(s"CREATE TABLE $t (a INT) USING lance LOCATION 'C:\\\\data\\\\t'")
      )
      made.foreach(make => assert(refusal(make()).contains("Write it as file:///C:/data/t.lance")))
    }
  }

  test("a table is not replaced, and stays, if its location has other files meanwhile") {
    withTable { t =>
      Seq(s" LOCATION '${freshPath()}'", "").foreach { clause =>
        sql(s"CREATE TABLE $t (a INT) USING lance$clause")
        val place =
          sql(s"DESCRIBE EXTENDED $t").where("col_name = 'Location'").head().getString(1).stripPrefix("file:")
        org.apache.commons.io.FileUtils.deleteDirectory(new File(place))
        val _ = other(path = place)
        refusing(place)(sql(s"CREATE OR REPLACE TABLE $t USING lance AS SELECT 1 AS a"))
        assert(spark.catalog.tableExists(t) && spark.read.parquet(place).count() == 2)
        sql(s"DROP TABLE $t")
      }
    }
  }

  test("a name in a directory of tables does not mean other files") {
    val root = freshPath()
    spark.conf.set("spark.sql.catalog.others", classOf[LanceCatalog].getName)
    spark.conf.set("spark.sql.catalog.others.warehouse", root)
    val path = other(path = s"$root/t.lance")
    refusing(path)(sql("CREATE TABLE others.t (a INT)"))
    refusing(path)(sql("CREATE OR REPLACE TABLE others.t AS SELECT 1 AS a"))
  }

  test("clones and streams refuse such a directory") {
    val (source, path) = (freshPath(), other())
    sql(s"CREATE TABLE lance.`$source` AS SELECT 1 AS a")
    refusing(path)(sql(s"CALL lance.system.shallow_clone('$source', '$path')").collect())
    withTable { t =>
      val rows = spark.readStream.format("rate").load()
      refusing(path) {
        rows.writeStream.format("lance").option(
          "path",
          path
        ).option("checkpointLocation", freshPath()).toTable(t)
      }
    }
  }

  test("hidden files, empty directories and what a failed write has left do not count") {
    val path = freshPath()
    Seq(".DS_Store", "_SUCCESS", "data/x.lance", "_transactions/0-x.txn", "_versions/.tmp_1").foreach {
      name =>
        val file = Path.of(path, name)
        Files.createDirectories(file.getParent)
        val _ = Files.createFile(file)
    }
    Files.createDirectories(Path.of(path, "year=2020/month=1"))
    spark.range(3).write.format("lance").save(path)
    assert(load(path).count() == 3)
  }

  test("the target of a symbolic link is checked, too") {
    val (path, link) = (other(), freshPath())
    Files.createSymbolicLink(Path.of(link), Path.of(path))
    assert(
      refusal(
        spark.range(3).write.format("lance").save(link)
      ).contains("the directory has no table, but 1 .parquet")
    )
    assert(contents(path).forall(!_.endsWith(".lance")))
  }

  test("a read names the files that it found, and how to convert them") {
    val path = other()
    val message = refusal(load(path))
    assert(message.contains(s"at file:$path: there is 1 .parquet file. Check the path. To make"))
    assert(message.endsWith(s"CREATE TABLE … USING lance AS SELECT * FROM parquet.`file:$path`."))
    val file = contents(path).find(_.endsWith(".parquet")).get
    assert(refusal(load(file)).contains("there is a file. Check the path."))
    assert(refusal(
      spark.range(3).write.format("lance").save(file)
    ).contains("the directory has no table, but a file"))
    assert(rows(spark.read.parquet(path)) == Set(Row(0L), Row(1L)))
  }
}
