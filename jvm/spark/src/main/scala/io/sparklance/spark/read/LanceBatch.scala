package io.sparklance.spark.read

import java.time.Instant

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{Batch, InputPartition, PartitionReader, PartitionReaderFactory}

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.order.{Direction, NullPlace, Ties, TopRows}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.{ScanPlan, Split}
import io.sparklance.index.search.{BrokenIndices, IndexAnswer, IndexEnd, IndexEnds, IndexSearch}
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.spark.types.BlobHandling

/** The partitions of a scan after all filters are known. Spark asks for them more than once. It reads equal
  * batches of a query once, and reuses what joins broadcast or shuffle of them.
  *
  * @param runtime
  *   the part of its filters that was added to those of an earlier batch
  */
final private class LanceBatch(
    dataset: => Dataset,
    location: TableLocation,
    val spec: ScanSpec,
    runtime: Option[RuntimeFilter] = None
) extends Batch {

  private val predicate = spec.filters.predicate

  /** Whether no row can pass. */
  private val isFutile =
    Predicate.conjuncts(predicate).exists(p => p == Predicate.Never || p == Predicate.Unknown)

  /** The rows that indices find. */
  lazy val found: Option[IndexAnswer] =
    if (isFutile) None
    else MissingFile.telling(location) {
      spec.indices.broken.flatMap { broken =>
        val known = for (filter <- runtime; answer <- filter.before.found)
          yield IndexSearch.narrow(answer, dataset, filter.predicate, broken)
        known.orElse(IndexSearch.find(dataset, predicate, spec.indices.lists, broken)).orElse(first(broken))
      }
    }

  /** The first rows of the order, if the scan returns nothing else. */
  private def first(broken: BrokenIndices): Option[IndexAnswer] = for {
    top <- spec.rows.top
    if spec.filters.isEmpty && spec.rows.addresses == RowRanges.all && spec.rows.sample.isEmpty
    end <- LanceBatch.end(top)
    answer <- IndexEnds.find(dataset, top.order.leaf, end, top.limit, broken)
  } yield answer

  /** Whether indices answer all filters. */
  def isExact: Boolean = found.exists(answer => dataset.fragments.forall(f => answer.exact(f.id)))

  /** Ids of fragments in which the filters are not evaluated, because indices have answered them. */
  def passed: Set[Long] = if (spec.indices.rechecks) Set.empty else found.fold(Set.empty[Long])(_.exact)

  /** Addresses of rows that may be wanted. */
  def addresses: RowRanges =
    found.fold(spec.rows.addresses)(answer => spec.rows.addresses.intersect(answer.addresses))

  /** Addresses of the rows to read. */
  def rows: RowRanges = if (isFutile) RowRanges.empty else spec.rows.slice.of(dataset, addresses)

  lazy val splits: Vector[Split] = {
    val target = spec.split.getOrElse(Session.splitTarget)
    ScanPlan.splits(dataset, spec.projection, target, rows, predicate, spec.rows.top, passed).map(
      _.copy(sample = spec.rows.sample)
    )
  }

  /** Whether it is known without a scan that only some rows may be wanted. */
  def isNarrowed: Boolean = isFutile || found.isDefined || !spec.rows.slice.isAll ||
    spec.rows.addresses != RowRanges.all

  /** Returns readers for the driver: one for all splits if possible, which reads ahead from one to the next.
    */
  def driverReaders: Iterator[PartitionReader[InternalRow]] = {
    val isPlain = spec.rows.sample.isEmpty && spec.rows.top.isEmpty
    val factory = createReaderFactory()
    (if (isPlain) Split.joined(splits) else splits).iterator.map(split =>
      factory.createReader(LanceInputPartition(split))
    )
  }

  /** Returns the batch with runtime filters in addition, and only rows at some addresses. */
  def filtered(runtime: Vector[Predicate], addresses: RowRanges = spec.rows.addresses): LanceBatch = {
    val added = Predicate.all(runtime: _*)
    val filters = spec.filters.copy(predicate = Predicate.all(predicate, added))
    val some = spec.withRows(_.copy(addresses = addresses)).copy(filters = filters)
    new LanceBatch(dataset, location, some, Some(RuntimeFilter(this, added)))
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

  // The time distinguishes a table from one that replaced it and has the same version.
  private def identity: (TableLocation, (Long, Instant, Option[String]), ScanSpec) =
    (location, dataset.identity, spec)
  override def equals(other: Any): Boolean = other match {
    case that: LanceBatch => (this eq that) || identity == that.identity
    case _ => false
  }
  override def hashCode: Int = (location, spec).hashCode
}

private object LanceBatch {

  /** Returns None if all ties are wanted. */
  private def end(top: TopRows): Option[IndexEnd] = top.ties match {
    case Ties.Kept => None
    case Ties.Dropped =>
      Some(IndexEnd.Ordered(top.order.direction == Direction.Ascending, top.order.nulls == NullPlace.First))
  }
}

/** A filter that a join adds while the query runs.
  *
  * @param before
  *   the scan without it, whose search of indices need not be repeated
  */
final private case class RuntimeFilter(before: LanceBatch, predicate: Predicate)
