package io.sparklance.spark.read

import org.apache.spark.sql.connector.read.{Batch, InputPartition, PartitionReaderFactory}

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.{ScanPlan, Split}
import io.sparklance.index.search.{IndexAnswer, IndexSearch}
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.spark.types.BlobHandling

/** The partitions of a scan after all filters are known. Spark asks for them more than once. */
final private class LanceBatch(dataset: Dataset, location: TableLocation, val spec: ScanSpec) extends Batch {

  private val predicate = spec.filters.predicate

  /** Whether no row can pass. */
  private val isFutile =
    Predicate.conjuncts(predicate).exists(p => p == Predicate.Never || p == Predicate.Unknown)

  /** The rows that indices find. */
  lazy val found: Option[IndexAnswer] =
    if (isFutile) None
    else spec.indices.broken.flatMap(IndexSearch.find(dataset, predicate, spec.indices.lists, _))

  /** Addresses of rows that may be wanted. */
  def addresses: RowRanges =
    found.fold(spec.rows.addresses)(answer => spec.rows.addresses.intersect(answer.addresses))

  /** Addresses of the rows to read. */
  def rows: RowRanges = if (isFutile) RowRanges.empty else spec.rows.slice.of(dataset, addresses)

  lazy val splits: Vector[Split] = {
    val target = spec.split.getOrElse(Session.splitTarget)
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
