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

/** Plans the scan for rows that are changed, like any other, but that it takes no filters that Spark finds
  * out while the statement runs. For it would take trouble to find them: since 4.1 it first runs the whole
  * condition to collect, on the driver, the values of all columns that take such filters, of all rows that
  * are changed.
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
