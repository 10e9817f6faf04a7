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
import io.sparklance.dataset.changes.{ChangeFeed, ChangedRows}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.RangeKind
import io.sparklance.spark.read.{Pushdown, ScanFilters, ScanSpec}
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
    val stored = StructType(required.filterNot(column => ChangeColumns.constants(column.name)))
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
