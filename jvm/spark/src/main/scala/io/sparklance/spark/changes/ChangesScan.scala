package io.sparklance.spark.changes

import org.apache.spark.sql.connector.expressions.filter.{Predicate => SparkPredicate}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.connector.read.{
  Batch,
  InputPartition,
  PartitionReaderFactory,
  Scan,
  ScanBuilder,
  SupportsPushDownRequiredColumns,
  SupportsPushDownV2Filters
}
import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.dataset.changes.{
  ChangeFeed,
  ChangedRows,
  CommitEffect,
  VersionLog,
  VersionRange,
  VersionStep
}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.RangeKind
import io.sparklance.spark.read.{Pushdown, ScanFilters, ScanSpec}
import io.sparklance.spark.streams.{SnapshotPart, StreamKind, StreamPolicy, StreamUnit, TableStream}
import io.sparklance.spark.types.SchemaConverter

/** Takes the columns that a query needs, and filters on columns of the table. */
final private[changes] class ChangesScanBuilder(source: ChangesSource) extends ScanBuilder
    with SupportsPushDownRequiredColumns
    with SupportsPushDownV2Filters {
  private val pushdown =
    Option.when(source.read.pushDownFilters)(
      new Pushdown(source.dataset.schema.fields, source.read.readTypes.lossyValues)
    )
  private var required = source.schema
  private var filters = ScanFilters.none

  override def pruneColumns(schema: StructType): Unit = required = schema

  override def pushPredicates(predicates: Array[SparkPredicate]): Array[SparkPredicate] = translating {
    val translated = predicates.map(p => p -> pushdown.flatMap(_.translate(p)))
    val known = translated.collect { case (predicate, Some(_)) => predicate }
    filters = ScanFilters(Predicate.all(translated.flatMap(_._2).toIndexedSeq: _*), known.toVector)
    translated.collect { case (predicate, None) => predicate }
  }

  override def pushedPredicates(): Array[SparkPredicate] = filters.pushed.toArray

  override def build(): Scan = translating {
    val read = source.read
    val whole = ScanSpec(source.dataset.schema.fields, read.batchSize, read.readTypes, read.split)
    val stored = StructType(required.filterNot(column => FeedColumns.constants(column.name)))
    val spec = whole.pruned(stored).copy(filters = filters)
    SchemaConverter.refuseUnsupported(spec.projection)
    new ChangesScan(source, required, spec)
  }
}

/** The rows of a change feed.
  *
  * @param required
  *   columns of the result
  * @param spec
  *   the scan of the table's own columns
  */
final private[changes] class ChangesScan(source: ChangesSource, required: StructType, spec: ScanSpec)
    extends Scan
    with Batch {
  private val plan = new ChangesPlan(source, required, spec)

  private lazy val changes: Vector[ChangedRows] = {
    source.read.stream.refuseInBatch()
    val range = source.range.versions.getOrElse(
      throw new LanceUsageException(
        "A batch read of the change feed needs its first version. Give it as option 'startingVersion' or 'startingTimestamp'."
      )
    ).of(source.dataset)
    val feed = new ChangeFeed(source.dataset, range)
    source.range.kind match {
      case RangeKind.NetChanges => EqualPairs.without(feed.net, source)
      case RangeKind.NetUpdates => feed.net
      case RangeKind.Changes | RangeKind.Appended => feed.all
    }
  }
  private lazy val partitions = plan.partitions(changes)

  override def readSchema(): StructType = plan.schema
  override def toBatch: Batch = this
  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream = translating {
    if (Set[RangeKind](RangeKind.NetChanges, RangeKind.NetUpdates)(source.range.kind))
      throw new LanceUsageException(
        "Option 'netChanges' is for batch reads: a stream returns the changes of each commit. Leave it out."
      )
    new ChangesStream(source, plan)
  }
  override def columnarSupportMode(): Scan.ColumnarSupportMode = Scan.ColumnarSupportMode.SUPPORTED
  override def planInputPartitions(): Array[InputPartition] = translating(partitions)
  override def createReaderFactory(): PartitionReaderFactory = translating(plan.readerFactory)

  override def description(): String =
    s"lance ${source.location} version ${source.dataset.version}, change feed, " +
      required.map(_.name).mkString("columns [", ", ", "]") +
      (if (spec.filters.isEmpty) "" else spec.filters.pushed.mkString(", filters [", ", ", "]"))
  override def toString: String = s"ChangesScan(${source.location}, version ${source.dataset.version})"

  private def identity: (ChangesSource, StructType, ScanSpec) = (source, required, spec)
  override def equals(other: Any): Boolean = other match {
    case that: ChangesScan => identity == that.identity
    case _ => false
  }
  override def hashCode: Int = identity.hashCode
}

/** A stream of the changes of commits. The changes of a commit are in one batch; rows of a snapshot are
  * insertions.
  */
final private[changes] class ChangesStream(source: ChangesSource, reads: ChangesPlan)
    extends TableStream(source.dataset, source.read.stream, StreamKind.Changes) {
  private val policy = new StreamPolicy(source.dataset, source.read.stream)

  /** Returns one unit for a version that may have changes, with the size of the fragments that it adds. */
  override protected def units(step: VersionStep, log: VersionLog): Vector[StreamUnit] = {
    policy.checkColumns(step, log)
    step.effect match {
      case CommitEffect.NoRows | CommitEffect.Moved | CommitEffect.Columns => Vector.empty
      case CommitEffect.Appended(_) | CommitEffect.Merged | CommitEffect.Deleted | CommitEffect.Changed |
          CommitEffect.Replaced(_) | CommitEffect.Began | CommitEffect.Other(_) | CommitEffect.Unrecorded =>
        val added = step.made.fold(Vector.empty[StreamUnit])(_.operation.added.map { fragment =>
          StreamUnit(1, fragment.files.flatMap(_.size).sum, fragment.physicalRows.getOrElse(0L))
        })
        Vector(added.foldLeft(StreamUnit.none)(_ + _).copy(files = math.max(1L, added.size.toLong)))
    }
  }

  override protected def plan(
      snapshot: Option[SnapshotPart],
      steps: Vector[VersionStep],
      first: Int,
      last: Option[Int],
      log: VersionLog
  ): Array[InputPartition] = {
    val ofSnapshot = snapshot.toVector.flatMap { part =>
      val version = part.version.version
      new ChangeFeed(source.dataset, VersionRange(version, version), log)
        .inserted(part.version, part.from, part.until)
    }
    val ofSteps = ChangesStream.runs(steps.map(_.version)).flatMap { range =>
      new ChangeFeed(source.dataset, range, log).all
    }
    reads.partitions(ofSnapshot ++ ofSteps)
  }

  override def createReaderFactory(): PartitionReaderFactory = translating(reads.readerFactory)
}

private object ChangesStream {

  /** Returns ranges of ascending versions, which may have gaps. */
  private def runs(versions: Vector[Long]): Vector[VersionRange] =
    versions.foldLeft(Vector.empty[VersionRange]) { (runs, version) =>
      runs.lastOption match {
        case Some(run) if run.end == version - 1 => runs.init :+ run.copy(end = version)
        case _ => runs :+ VersionRange(version, version)
      }
    }
}
