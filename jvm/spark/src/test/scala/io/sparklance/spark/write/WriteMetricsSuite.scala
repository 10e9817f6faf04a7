package io.sparklance.spark.write

import scala.collection.mutable

import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.V2TableWriteExec
import org.apache.spark.sql.util.QueryExecutionListener

import io.sparklance.spark.SparkSuite

/** What Spark's UI shows of a write. */
final class WriteMetricsSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  test("a write tells its rows, bytes, files and commit attempts, and what its tasks put out") {
    val path = freshPath()
    spark.range(10).write.format("lance").save(path)
    val seen = mutable.Map.empty[String, Long]
    val output = mutable.Map.empty[String, Long].withDefaultValue(0L)
    val queries = new QueryExecutionListener {
      override def onSuccess(name: String, execution: QueryExecution, nanos: Long): Unit = synchronized {
        collect(execution.executedPlan) { case write: V2TableWriteExec => write }.foreach { write =>
          write.metrics.foreach { case (metric, value) => seen(metric) = value.value }
        }
      }
      override def onFailure(name: String, execution: QueryExecution, error: Exception): Unit = ()
    }
    val tasks = new SparkListener {
      override def onTaskEnd(end: SparkListenerTaskEnd): Unit = synchronized {
        output("rows") += end.taskMetrics.outputMetrics.recordsWritten
        output("bytes") += end.taskMetrics.outputMetrics.bytesWritten
      }
    }
    spark.listenerManager.register(queries)
    spark.sparkContext.addSparkListener(tasks)
    try {
      spark.range(0, 1000, 1, 2).write.format("lance").mode("append").option("maxRowsPerFile", 100).save(path)
      eventually(assert(seen.contains("filesWritten") && output("rows") == 1000))
    } finally {
      spark.listenerManager.unregister(queries)
      spark.sparkContext.removeSparkListener(tasks)
    }
    assert(seen("recordsWritten") == 1000 && seen("filesWritten") == 10 && seen("commitAttempts") == 1)
    val sizes = dataFiles(path).map(java.nio.file.Path.of(_)).map(java.nio.file.Files.size).sum
    assert(seen("bytesWritten") < sizes && seen("bytesWritten") > sizes / 2)
    assert(output("bytes") == seen("bytesWritten"))
  }
}
