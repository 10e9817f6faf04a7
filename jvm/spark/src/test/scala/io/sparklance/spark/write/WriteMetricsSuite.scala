package io.sparklance.spark.write

import scala.collection.mutable

import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.V2TableWriteExec
import org.apache.spark.sql.util.QueryExecutionListener

import io.sparklance.spark.SparkSuite

/** Metrics of a write in Spark's UI. */
final class WriteMetricsSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  /** The metrics of the last write within `body`, once there are some. */
  private def metricsOf(body: => Unit)(isComplete: => Boolean = true): Map[String, Long] = {
    val seen = mutable.Map.empty[String, Long]
    val queries = new QueryExecutionListener {
      override def onSuccess(name: String, execution: QueryExecution, nanos: Long): Unit = synchronized {
        collect(execution.executedPlan) { case write: V2TableWriteExec => write }.foreach { write =>
          write.metrics.foreach { case (metric, value) => seen(metric) = value.value }
        }
      }
      override def onFailure(name: String, execution: QueryExecution, error: Exception): Unit = ()
    }
    spark.listenerManager.register(queries)
    try {
      body
      eventually(assert(seen.contains("filesWritten") && isComplete))
    } finally spark.listenerManager.unregister(queries)
    seen.toMap
  }

  test("a write reports its rows, bytes, files and commit attempts, and the output of its tasks") {
    val path = freshPath()
    spark.range(10).write.format("lance").save(path)
    val output = mutable.Map.empty[String, Long].withDefaultValue(0L)
    val tasks = new SparkListener {
      override def onTaskEnd(end: SparkListenerTaskEnd): Unit = synchronized {
        output("rows") += end.taskMetrics.outputMetrics.recordsWritten
        output("bytes") += end.taskMetrics.outputMetrics.bytesWritten
      }
    }
    spark.sparkContext.addSparkListener(tasks)
    val seen =
      try metricsOf {
          spark.range(0, 1000, 1, 2).write.format("lance").mode("append").option(
            "maxRowsPerFile",
            100
          ).save(path)
        }(output("rows") == 1000)
      finally spark.sparkContext.removeSparkListener(tasks)
    assert(seen("recordsWritten") == 1000 && seen("filesWritten") == 10 && seen("commitAttempts") == 1)
    val sizes = dataFiles(path).map(java.nio.file.Path.of(_)).map(java.nio.file.Files.size).sum
    assert(seen("bytesWritten") < sizes && seen("bytesWritten") > sizes / 2)
    assert(output("bytes") == seen("bytesWritten"))
  }

  test("a write reports its numbers of pages by encoding") {
    val path = freshPath()
    val rows = spark.range(0, 4000, 1, 2).selectExpr(
      "7 as c",
      "concat('k', id % 5) as d",
      "pmod(hash(id), 1000) as b",
      "id div 100 as r",
      "sha(string(id)) as s"
    )
    rows.write.format("lance").save(path)
    val seen = metricsOf(rows.write.format("lance").mode("append").save(path))()
    val pages = seen.collect { case (name, count) if name.endsWith("Pages") && count > 0 => name -> count }
    assert(pages == Map(
      "constantPages" -> 2,
      "dictionaryPages" -> 2,
      "bitPackedPages" -> 2,
      "runPages" -> 2,
      "symbolPages" -> 2
    ))
  }

  test("a backfill of hundreds of columns writes full pages within a small buffer") {
    val path = freshPath()
    spark.range(4096).coalesce(1).write.format("lance").save(path)
    val columns = "_rowaddr" +: (0 until 300).map(i => s"id + $i AS c$i")
    def add(): Unit = load(path).selectExpr(columns: _*).write.format("lance").mode("append")
      .option("columns", "add").option("writeBufferBytes", "256k").save(path)
    val seen = metricsOf(add())()
    assert(seen.collect { case (name, pages) if name.endsWith("Pages") => pages }.sum == 600, seen)
    assert(seen("runtPages") == 0 && load(path).where("c299 = id + 299 AND c0 = id").count() == 4096)
  }
}
