package io.sparklance.spark.read

import java.util.OptionalLong

import org.apache.spark.sql.connector.read.{
  Batch,
  InputPartition,
  PartitionReaderFactory,
  Scan,
  Statistics,
  SupportsReportStatistics
}
import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.{Dataset, ScanPlan, Split}
import io.sparklance.spark.{Session, TableLocation}

/** A scan of one version of a table. Spark asks for its partitions more than once and reuses the results of equal scans. */
final class LanceScan(dataset: Dataset, location: TableLocation, spec: ScanSpec)
    extends Scan
    with Batch
    with SupportsReportStatistics {
  private lazy val partitions: Array[InputPartition] =
    ScanPlan
      .splits(dataset, spec.projection, spec.split.getOrElse(Session.splitTarget))
      .map(LanceInputPartition(_))
      .toArray

  private lazy val statistics: Statistics = LanceStatistics.of(dataset, spec)

  override def readSchema(): StructType = spec.schema
  override def toBatch: Batch = this
  override def planInputPartitions(): Array[InputPartition] = partitions
  override def createReaderFactory(): PartitionReaderFactory = LanceReaderFactory(location, spec)
  override def columnarSupportMode(): Scan.ColumnarSupportMode = Scan.ColumnarSupportMode.SUPPORTED
  override def estimateStatistics(): Statistics = statistics

  override def description(): String = s"lance $location version ${dataset.version}"
  override def toString: String = s"LanceScan($location, version ${dataset.version})"

  private def identity: (TableLocation, Long, ScanSpec) = (location, dataset.version, spec)
  override def equals(other: Any): Boolean = other match {
    case that: LanceScan => identity == that.identity
    case _ => false
  }
  override def hashCode: Int = identity.hashCode
}

/** @param split rows, and everything needed to read them */
final case class LanceInputPartition(split: Split) extends InputPartition

/** Rows exactly; bytes as Spark will hold them, so that it broadcasts what is small, however well it is compressed. */
final private case class LanceStatistics(rows: Long, bytes: Long) extends Statistics {
  override def sizeInBytes(): OptionalLong = OptionalLong.of(bytes)
  override def numRows(): OptionalLong = OptionalLong.of(rows)
}

private object LanceStatistics {
  def of(dataset: Dataset, spec: ScanSpec): LanceStatistics = {
    val rows = dataset.countRows
    val rowBytes = 8L + spec.schema.fields.map(_.dataType.defaultSize.toLong).sum
    LanceStatistics(rows, math.max(1L, rows * rowBytes))
  }
}
