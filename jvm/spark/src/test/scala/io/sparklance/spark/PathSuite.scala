package io.sparklance.spark

import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.{DataFrame, Row}

/** `format("lance")`, by path. */
final class PathSuite extends SparkSuite {

  private def numbers(range: Range): DataFrame = {
    val session = spark
    import session.implicits._
    range.map(i => (i, s"row $i")).toDF("id", "name")
  }

  private def write(frame: DataFrame, mode: String, path: String): Unit =
    frame.write.format("lance").mode(mode).save(path)

  private def ids(frame: DataFrame): Seq[Int] = frame.select("id").collect().map(_.getInt(0)).toSeq.sorted

  Seq("append", "overwrite", "error", "ignore").foreach { mode =>
    test(s"mode $mode creates a table at an unused path") {
      val path = freshPath()
      write(numbers(0 until 5), mode, path)
      assert(rows(load(path)) == rows(numbers(0 until 5)))
    }
  }

  test("append adds rows, matching columns by name") {
    val path = freshPath()
    write(numbers(0 until 3), "append", path)
    write(numbers(3 until 5).select("name", "id"), "append", path)
    assert(rows(load(path)) == rows(numbers(0 until 5)))
  }

  test("overwrite replaces rows and columns in one version") {
    val path = freshPath()
    write(numbers(0 until 3), "error", path)
    write(numbers(7 until 9).withColumn("more", lit(1.5)), "overwrite", path)
    assert(load(path).columns.toSeq == Seq("id", "name", "more"))
    assert(ids(load(path)) == Seq(7, 8))
    assert(ids(spark.read.format("lance").option("version", 1).load(path)) == Seq(0, 1, 2))
    assert(refusal(spark.read.format("lance").option("version", 3).load(path)).contains("no version 3"))
  }

  test("a table can be overwritten with its own rows") {
    val path = freshPath()
    write(numbers(0 until 6), "error", path)
    write(load(path).where("id > 2"), "overwrite", path)
    assert(ids(load(path)) == Seq(3, 4, 5))
  }

  test("mode error refuses an existing table, mode ignore leaves it alone") {
    val path = freshPath()
    write(numbers(0 until 3), "error", path)
    assert(refusal(write(numbers(0 until 9), "error", path)).contains("There is a Lance table at"))
    write(numbers(0 until 9), "ignore", path)
    assert(ids(load(path)) == Seq(0, 1, 2))
  }

  test("a frame keeps the version at which it was made") {
    val path = freshPath()
    write(numbers(0 until 3), "error", path)
    val before = load(path)
    write(numbers(3 until 5), "append", path)
    assert(before.count() == 3)
    assert(load(path).count() == 5)
  }

  test("only the requested columns are read, also none") {
    val path = freshPath()
    write(numbers(0 until 10), "error", path)
    val projected = load(path).select("name").where(col("id") > 7)
    assert(rows(projected) == Set(Row("row 8"), Row("row 9")))
    val scan = load(path).select("name").queryExecution.executedPlan.toString
    assert(scan.contains("version 1") && !scan.contains("id#"))
    assert(load(path).count() == 10)
    assert(load(path).selectExpr("1 AS one").collect().toSeq == Seq.fill(10)(Row(1)))
  }

  test("columns come in the requested order") {
    val path = freshPath()
    write(numbers(0 until 2), "error", path)
    assert(rows(load(path).select("name", "id")) == Set(Row("row 0", 0), Row("row 1", 1)))
  }

  test("many batches, files and tasks make up one table") {
    val path = freshPath()
    spark.range(0, 20000, 1, 3).selectExpr(
      "id",
      "id % 7 AS m"
    ).write.format("lance").option("maxRowsPerFile", 1000).save(path)
    assert(dataFiles(path).size == 21)
    withSetting("spark.sql.files.maxPartitionBytes", "512b") {
      val frame = spark.read.format("lance").option("batchSize", 37).load(path)
      assert(frame.rdd.getNumPartitions > 21)
      assert(frame.selectExpr("sum(id)", "sum(m)", "count(*)").head() == Row(199990000L, 59997L, 20000L))
    }
  }

  test("files end when they are large, and pages when all columns together fill the buffer") {
    val path = freshPath()
    val text = "concat(uuid(), uuid()) AS text"
    val frame = spark.range(0, 4000, 1, 1).selectExpr("id", "array(id, id + 1) AS pair", text)
    frame.write.format("lance").option("maxBytesPerFile", "64k").option("writeBufferBytes", "4k").save(path)
    assert(dataFiles(path).size > 1)
    assert(load(path).selectExpr("sum(id)", "sum(pair[1])", "sum(length(text))").head() ==
      Row(7998000L, 8002000L, 288000L))
  }

  test("the files' version can be chosen for a new table, and stays") {
    val path = freshPath()
    numbers(0 until 3).write.format("lance").option("dataStorageVersion", "2.2").save(path)
    val other = numbers(3 until 5).write.format("lance").mode("append").option("dataStorageVersion", "2.1")
    assert(refusal(other.save(path)).contains("asks for 2.1, but the files"))
  }

  test("statistics are exact in rows, and small tables are small") {
    val path = freshPath()
    write(numbers(0 until 10), "error", path)
    // Since 4.3 Spark asks for rows only where its optimizer goes by costs.
    withSetting("spark.sql.cbo.enabled", "true") {
      val statistics = load(path).queryExecution.optimizedPlan.stats
      assert(statistics.rowCount.contains(BigInt(10)))
      assert(statistics.sizeInBytes < 1000)
    }
  }

  test("the user's schema selects columns, and has to be the table's") {
    val path = freshPath()
    write(numbers(0 until 3), "error", path)
    assert(spark.read.format("lance").schema("name STRING").load(path).columns.toSeq == Seq("name"))
    assert(rows(spark.read.format("lance").schema("name STRING").load(path)) ==
      rows(numbers(0 until 3).select("name")))
    assert(refusal(
      spark.read.format("lance").schema("nam STRING").load(path).collect()
    ).contains("'nam' of type string"))
    assert(refusal(
      spark.read.format("lance").schema("id BIGINT").load(path).collect()
    ).contains("'id' of type bigint"))
  }

  test("option `schema` chooses columns, also in CREATE TEMPORARY VIEW … USING lance") {
    val path = freshPath()
    spark.range(3).selectExpr("id", "'x' AS x").write.format("lance").save(path)
    Seq("struct<id:bigint>", "id BIGINT", load(path).select("id").schema.json).foreach { schema =>
      sql(
        s"CREATE OR REPLACE TEMPORARY VIEW lance_options USING lance OPTIONS (path '$path', schema '$schema')"
      )
      assert(rows(spark.table("lance_options")) == Set(Row(0L), Row(1L), Row(2L)))
    }
    def read = spark.read.format("lance")
    assert(refusal(read.option("schema", "id INT").load(path).collect()).contains("which the table lacks"))
    assert(refusal(read.option("schema", "of what").load(path)).contains("'schema' cannot be 'of what'"))
    val other = read.option("schema", "id BIGINT").option("metadataTable", "versions")
    assert(refusal(other.load(path)).contains("have columns of their own"))
    val named = spark.read.option("schema", "id BIGINT").table(s"lance.`$path`")
    assert(refusal(named.collect()).contains("'schema' is for paths"))
  }

  test("the user's schema does not make nulls vanish") {
    val path = freshPath()
    write(sql("SELECT * FROM VALUES (1, 'a'), (NULL, NULL) AS t (id, name)"), "error", path)
    val read = spark.read.format("lance").schema("id INT NOT NULL, name STRING NOT NULL").load(path)
    assert(rows(read) == Set(Row(1, "a"), Row(null, null)))
    assert(read.where("name IS NULL").count() == 1)
  }

  test("an append whose columns do not fit is an error, and nothing is written") {
    val path = freshPath()
    write(numbers(0 until 3), "error", path)
    val files = dataFiles(path)
    val wrongName = numbers(0 until 2).withColumnRenamed("name", "nom")
    val wrongType = numbers(0 until 2).withColumn("id", lit("one"))
    val tooMany = numbers(0 until 2).withColumn("more", lit(1))
    Seq(wrongName, wrongType, tooMany).foreach { frame =>
      assert(intercept[Exception](write(frame, "append", path)).getMessage.nonEmpty)
      assert(dataFiles(path) == files)
    }
    assert(load(path).count() == 3)
  }

  test("a failed job leaves no version and no file") {
    val session = spark
    import session.implicits._
    val path = freshPath()
    val failing =
      spark.range(0, 1000, 1, 4).as[Long].map(i => if (i == 900) sys.error("no luck") else i).toDF("id")
    intercept[Exception](failing.write.format("lance").option("maxRowsPerFile", 10).save(path))
    eventually(assert(dataFiles(path).isEmpty))
    assert(refusal(load(path)).contains("no Lance table"))

    spark.range(10).write.format("lance").save(path)
    val files = dataFiles(path)
    Seq("append", "overwrite").foreach { mode =>
      intercept[Exception](failing.write.format("lance").mode(mode).option("maxRowsPerFile", 10).save(path))
      eventually(assert(dataFiles(path).toSet == files.toSet))
      assert(load(path).count() == 10)
    }
  }

  test(
    "a missing path, an empty directory, and a directory of other files are distinguished from a table"
  ) {
    val path = freshPath()
    assert(refusal(load(path)).contains("no Lance table at file:" + path))
    Files.createDirectories(Path.of(path))
    assert(refusal(load(path)).contains("no Lance table"))
    Files.writeString(Path.of(path, "a.txt"), "text")
    assert(refusal(load(path)).contains("no Lance table"))
    assert(
      refusal(spark.read.format("lance").schema("id INT").load(path).collect()).contains("no Lance table")
    )
  }

  test("a missing column is Spark's error, which lists the existing ones") {
    val path = freshPath()
    write(numbers(0 until 3), "error", path)
    val message = intercept[org.apache.spark.sql.AnalysisException](load(path).select("nam")).getMessage
    assert(message.contains("`name`"))
  }

  test("unknown options are refused on both sides") {
    val path = freshPath()
    write(numbers(0 until 3), "error", path)
    assert(refusal(spark.read.format("lance").option(
      "versoin",
      1
    ).load(path)).contains("Did you mean 'version'?"))
    val writer = numbers(0 until 3).write.format("lance").mode("append").option("maxRowPerFile", 1)
    assert(refusal(writer.save(path)).contains("Did you mean 'maxRowsPerFile'?"))
    assert(load(path).count() == 3)
  }

  test("options that Spark applies to named tables only are not ignored") {
    val path = freshPath()
    write(numbers(0 until 3), "error", path)
    assert(refusal(spark.read.format("lance").option(
      "versionAsOf",
      1
    ).load(path)).contains("use option 'version'"))
    assert(refusal(spark.read.format("lance").option(
      "timestampAsOf",
      "2020-01-01"
    ).load(path)).contains("use option 'asOfTimestamp'"))
    assert(refusal(spark.read.option(
      "version",
      9
    ).table(s"lance.`$path`").collect()).contains("VERSION AS OF"))
  }

  test("several paths and none are refused") {
    assert(refusal(spark.read.format("lance").load(freshPath(), freshPath())).contains("union()"))
    assert(refusal(spark.read.format("lance").load()).contains("No path was given"))
  }

  test("partitions, clusters and buckets are refused with a reason") {
    val path = freshPath()
    val frame = numbers(0 until 3)
    assert(
      refusal(frame.write.format("lance").partitionBy("id").save(path)).contains("partitionBy has no meaning")
    )
    assert(
      refusal(frame.write.format("lance").clusterBy("id").save(path)).contains("clusterBy has no meaning")
    )
    val bucketed = intercept[Exception](frame.write.format("lance").bucketBy(2, "id").save(path))
    assert(bucketed.getMessage.contains("bucketBy"))
    assert(!Files.exists(Path.of(path)))
  }

  test("types that Lance cannot hold are refused before any work") {
    val path = freshPath()
    val variant = "parse_json(string(id))"
    val frame =
      numbers(0 until 3).selectExpr("id", s"array($variant) AS list", s"named_struct('a', $variant) AS s")
    val message = refusal(write(frame, "overwrite", path))
    assert(message.contains("'list.item' of type variant") && message.contains("'s.a' of type variant"))
    assert(!Files.exists(Path.of(path)))
  }

  test("an empty frame makes a table without rows, and appending it makes no version") {
    val path = freshPath()
    write(numbers(0 until 0), "error", path)
    assert(load(path).count() == 0)
    assert(load(path).schema.map(_.name) == Seq("id", "name"))
    write(numbers(0 until 0), "append", path)
    assert(refusal(spark.read.format("lance").option("version", 2).load(path)).contains("no version 2"))
  }

  test("a path may hold spaces, dots, quotes and letters of any language") {
    val path = freshPath() + "/my data.v1/straße`%20"
    write(numbers(0 until 3), "append", path)
    write(numbers(3 until 5), "append", path)
    assert(ids(load(path)) == Seq(0, 1, 2, 3, 4))
  }
}
