package io.sparklance.spark.rowlevel

import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.{
  Batch,
  Scan,
  ScanBuilder,
  Statistics,
  SupportsPushDownRequiredColumns,
  SupportsPushDownV2Filters,
  SupportsReportStatistics
}
import org.apache.spark.sql.types.StructType

import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.read.{LanceScan, LanceScanBuilder}

/** Plans the scan of a row-level operation like any other, but without runtime filters, which would cost more
  * than they save: from 4.1 on, Spark computes them by running the whole condition first, and collecting the
  * values of the filtered columns of all affected rows on the driver.
  */
final private[spark] class RowLevelScanBuilder(scan: LanceScanBuilder) extends ScanBuilder
    with SupportsPushDownV2Filters
    with SupportsPushDownRequiredColumns {
  override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] =
    scan.pushPredicates(predicates)
  override def pushedPredicates(): Array[Predicate] = scan.pushedPredicates()
  override def pruneColumns(required: StructType): Unit = scan.pruneColumns(required)
  override def build(): Scan = translating {
    RowLevelScan(scan.buildRows())
  }
}

final private case class RowLevelScan(scan: LanceScan) extends Scan with SupportsReportStatistics {
  override def readSchema(): StructType = scan.readSchema()
  override def toBatch: Batch = scan.toBatch
  override def columnarSupportMode(): Scan.ColumnarSupportMode = scan.columnarSupportMode()
  override def estimateStatistics(): Statistics = scan.estimateStatistics()
  override def supportedCustomMetrics(): Array[CustomMetric] = scan.supportedCustomMetrics()
  override def reportDriverMetrics(): Array[CustomTaskMetric] = scan.reportDriverMetrics()
  override def description(): String = scan.description()
}
