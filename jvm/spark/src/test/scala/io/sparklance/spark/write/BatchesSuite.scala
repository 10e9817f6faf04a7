package io.sparklance.spark.write

import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row}

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite

/** Batches that are written once. */
final class BatchesSuite extends SparkSuite {

  private def versions(path: String): Int = Dataset.open(LocalStore, path).versions.size

  private def batch(frame: DataFrame, number: Int, application: String = "job"): DataFrameWriter[Row] =
    frame.write.format("lance").option("txnAppId", application).option("txnVersion", number.toString)

  private def ids(from: Long, until: Long): DataFrame = spark.range(from, until).toDF("id")

  test("a batch that is written again by path changes nothing, and its query does not run") {
    val path = freshPath()
    batch(ids(0, 3), 1).mode("append").save(path)
    batch(ids(3, 5), 2).mode("append").save(path)
    val failing = ids(3, 5).selectExpr("id + CAST(raise_error('run') AS BIGINT) AS id")
    Seq("append", "overwrite").foreach { mode =>
      batch(failing, 2).mode(mode).save(path)
      batch(failing, 1).mode(mode).save(path)
    }
    assert(versions(path) == 2 && load(path).count() == 5)
    batch(ids(5, 6), 2, "other job").mode("append").save(path)
    batch(ids(6, 7), 3).mode("append").save(path)
    assert(load(path).count() == 7)
  }

  test("a batch that is written again to a table with a name leaves no version and no file") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id BIGINT) USING lance")
      def append(): Unit =
        ids(0, 3).writeTo(t).option("txnAppId", "job").option("txnVersion", "7").append()
      append()
      val files = dataFiles(root(t))
      append()
      ids(9, 10).writeTo(t).option("txnAppId", "job").option("txnVersion", "7").overwrite(
        org.apache.spark.sql.functions.lit(true)
      )
      ids(
        9,
        10
      ).writeTo(t).using("lance").option("txnAppId", "job").option("txnVersion", "6").createOrReplace()
      assert(dataFiles(root(t)) == files && versions(root(t)) == 2)
      assert(rows(sql(s"SELECT * FROM $t")) == Set(Row(0), Row(1), Row(2)))
    }
  }

  test("a batch without rows is remembered, too") {
    val path = freshPath()
    ids(0, 3).write.format("lance").save(path)
    batch(ids(0, 0), 1).mode("append").save(path)
    batch(ids(0, 3), 1).mode("append").save(path)
    assert(versions(path) == 2 && load(path).count() == 3)
  }

  test("a batch has a name and a number") {
    val path = freshPath()
    val half = ids(0, 3).write.format("lance").option("txnAppId", "job")
    assert(refusal(half.save(path)).contains("Give both, or none"))
    assert(refusal(batch(ids(0, 3), -1).save(path)).contains("the number of a batch"))
  }

  test("notes on a commit belong to writes") {
    val path = freshPath()
    ids(0, 3).write.format("lance").option("commit.job", "nightly").save(path)
    val read = spark.read.format("lance").option("commit.job", "x")
    assert(refusal(read.load(path)).contains("Option 'commit.job' is for writing Lance tables"))
  }
}
