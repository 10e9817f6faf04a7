package io.sparklance.spark.read

import org.apache.spark.sql.connector.read.{Batch, InputPartition, PartitionReaderFactory}

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.{ScanPlan, Split}
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.spark.types.BlobHandling

/** The partitions of a scan after all filters are known. Spark asks for them more than once. */
final private class LanceBatch(dataset: Dataset, location: TableLocation, val spec: ScanSpec) extends Batch {

  lazy val splits: Vector[Split] = {
    val target = spec.split.getOrElse(Session.splitTarget)
    val predicate = spec.filters.predicate
    val isFutile = Predicate.conjuncts(predicate).exists(p => p == Predicate.Never || p == Predicate.Unknown)
    val rows = if (isFutile) RowRanges.empty else spec.rows.slice.of(dataset, spec.rows.addresses)
    ScanPlan.splits(dataset, spec.projection, target, rows, predicate, spec.rows.top).map(
      _.copy(sample = spec.rows.sample)
    )
  }

  override def planInputPartitions(): Array[InputPartition] = translating {
    splits.map(LanceInputPartition(_)).toArray
  }

  override def createReaderFactory(): PartitionReaderFactory = translating {
    val place = if (showsBlobs) location else location.forTasks(dataset)
    LanceReaderFactory(place, spec.projection, spec.batchRows, spec.readTypes)
  }

  /** Whether the scan reads blobs. They may be on any store, so executors need the full Hadoop configuration.
    */
  private def showsBlobs: Boolean = spec.readTypes.blobs == BlobHandling.Bytes &&
    spec.projection.flatMap(_.preOrder).exists(_.isBlob)
}

/** @param split rows to read, with everything that reading needs */
final private[sparklance] case class LanceInputPartition(split: Split) extends InputPartition
