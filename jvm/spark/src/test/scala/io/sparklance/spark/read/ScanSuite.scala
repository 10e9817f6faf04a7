package io.sparklance.spark.read

import scala.util.Using

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

import io.sparklance.spark.SparkSuite

/** Tests that look at what a query leaves to the scan, and what the scan brings. */
abstract class ScanSuite extends SparkSuite with AdaptiveSparkPlanHelper with ScansByTasks {

  /** Filters that stay with Spark. */
  protected def residuals(frame: DataFrame): Seq[String] =
    frame.queryExecution.optimizedPlan.collect { case filter: Filter => filter.condition.sql }

  /** The first column, in the order of the rows, without a job. */
  protected def idsOf(frame: DataFrame): Vector[Long] = scanIn(frame) match {
    case None => Vector.empty
    case Some(scan) =>
      val batch = scan.scan.toBatch
      val factory = batch.createReaderFactory()
      batch.planInputPartitions().toVector.flatMap { partition =>
        Using.resource(factory.createColumnarReader(partition)) { reader =>
          val ids = Vector.newBuilder[Long]
          while (reader.next()) {
            val shown = reader.get()
            ids ++= (0 until shown.numRows).map(shown.column(0).getLong)
          }
          ids.result()
        }
      }
  }

  protected def scan(frame: DataFrame): BatchScanExec =
    scanIn(frame).getOrElse(fail(s"no scan: ${frame.queryExecution.executedPlan}"))

  /** The first scan, if Spark has left one. */
  protected def scanIn(frame: DataFrame): Option[BatchScanExec] =
    collectFirst(frame.queryExecution.executedPlan) { case scan: BatchScanExec => scan }
}
