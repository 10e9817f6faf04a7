package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.expressions.filter.{Predicate => SparkPredicate}
import org.apache.spark.sql.connector.expressions.{
  Expressions,
  NamedReference,
  NullOrdering,
  SortDirection,
  SortOrder
}
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.connector.read.{
  Batch,
  PartitionReader,
  Scan,
  Statistics,
  SupportsReportOrdering,
  SupportsReportStatistics,
  SupportsRuntimeV2Filtering
}
import org.apache.spark.sql.types.StructType

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.index.search.{IndexAnswer, IndexSearch}
import io.sparklance.schema.Field
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.{Counted, TableLocation}

/** A scan of one version of a table. Spark reuses the results of equal scans. */
final private[sparklance] class LanceScan(
    dataset: => Dataset,
    location: TableLocation,
    spec: ScanSpec,
    pushdown: Option[Pushdown],
    streams: Option[RowStreams] = None
) extends Scan
    with DriverReadable
    with SupportsReportStatistics
    with SupportsReportOrdering
    with SupportsRuntimeV2Filtering {
  private lazy val places = new MetadataColumnPredicates(dataset)
  private lazy val planned = new LanceBatch(dataset, location, spec)
  private var filtered = Option.empty[LanceBatch]

  /** Whether Spark reads a stream; the scan then has no splits of its own. */
  private var isStream = false
  private def batch: LanceBatch = filtered.getOrElse(planned)
  private lazy val statistics: Statistics = LanceStatistics.of(dataset, batch)

  /** Everything that is pushed down, for readers of other kinds. */
  private[spark] def pushed: ScanSpec = batch.spec

  /** Whether the vectors of all columns write rows. */
  private[read] def writesRows: Boolean = spec.projection.forall(ColumnVectors.writesRows(_, spec.readTypes))

  /** Whether a filter that the scan evaluates leaves out rows in which this column is null. */
  private[read] def provesNotNull(column: String): Boolean = spec.filters.pushed.exists { filter =>
    filter.name == "IS_NOT_NULL" && filter.references.exists(_.fieldNames.sameElements(Array(column)))
  }

  /** Addresses of rows that may pass the filters. */
  private[spark] def candidates: RowRanges = batch.rows

  private[read] def columns: Vector[Field] = spec.projection

  /** Returns the scan of the same rows with other columns. */
  private[read] def reading(columns: Vector[Field]): LanceScan =
    new LanceScan(dataset, location, spec.copy(projection = columns), pushdown, streams)

  /** Addresses of the rows that pass the filters and of deleted ones, if indices answer all filters. */
  private[spark] def passing: Option[RowRanges] =
    if (!pushed.rows.isAll || pushed.indices.lists.nonEmpty || pushed.indices.rechecks) None
    else pushed.indices.broken.flatMap(IndexSearch.passing(dataset, pushed.filters.predicate, _))

  /** Returns the scan of some of the rows. */
  private[spark] def among(addresses: RowRanges): LanceScan = {
    val some = pushed.withRows(rows => rows.copy(addresses = rows.addresses.intersect(addresses)))
    new LanceScan(dataset, location, some, pushdown)
  }

  override def expected: Option[ExpectedRows] =
    if (isStream || !batch.isNarrowed) None else expecting(dataset.storedRows(batch.rows))

  /** Returns the size of some rows. */
  private[spark] def expecting(rows: Long): Option[ExpectedRows] =
    ExpectedRows.of(dataset, spec.projection, spec.readTypes, rows)

  override def driverReaders(most: Long): Iterator[PartitionReader[InternalRow]] = translating {
    streams.foreach(_.refuseInBatch())
    batch.driverReaders
  }

  override def readSchema(): StructType = spec.schema
  override def toBatch: Batch = translating {
    streams.foreach(_.refuseInBatch())
    batch
  }
  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream = translating {
    isStream = true
    streams.fold(super.toMicroBatchStream(checkpointLocation))(_.of(spec))
  }
  override def columnarSupportMode(): Scan.ColumnarSupportMode =
    if (WideVectors.dominate(spec.projection)) Scan.ColumnarSupportMode.UNSUPPORTED
    else Scan.ColumnarSupportMode.SUPPORTED
  override def estimateStatistics(): Statistics = translating {
    if (isStream) LanceStatistics.unknown else statistics
  }

  /** Ascending addresses, if the manifest lists the fragments in ascending order, as it usually does. */
  override def outputOrdering(): Array[SortOrder] = translating {
    val ids = dataset.fragments.iterator.map(_.id).toVector
    val ascends = ids.zip(ids.drop(1)).forall { case (a, b) => a < b }
    val address = spec.projection.find(MetadataColumn.of(_).contains(MetadataColumn.RowAddr))
    address.filter(_ => ascends).map { field =>
      Expressions.sort(Expressions.column(field.name), SortDirection.ASCENDING, NullOrdering.NULLS_FIRST)
    }.toArray
  }

  // Spark only accepts columns of the scan here.
  override def filterAttributes(): Array[NamedReference] = translating {
    val brought = spec.projection.filter { field =>
      MetadataColumn.of(field).fold(pushdown.exists(_.compares(field)))(places.useful)
    }
    brought.map(field => TopLevel(field.name): NamedReference).toArray
  }

  /** Adds runtime filters. Spark evaluates them again. A slice or a top-N order counts rows before such
    * filters, so neither takes them.
    */
  override def filter(predicates: Array[SparkPredicate]): Unit = translating {
    if (spec.rows.slice.isAll && spec.rows.top.isEmpty) {
      val (selections, others) = predicates.toVector.partitionMap(p => places.selection(p).toLeft(p))
      val selection = selections.foldLeft(spec.rows.addresses)(_.intersect(_))
      filtered = Some(planned.filtered(others.flatMap(p => pushdown.flatMap(_.translate(p))), selection))
    }
  }

  override def supportedCustomMetrics(): Array[CustomMetric] = ReadMetrics.all

  override def reportDriverMetrics(): Array[CustomTaskMetric] =
    if (isStream) Array.empty else driverMetrics

  private def driverMetrics: Array[CustomTaskMetric] = translating {
    val splits = batch.splits
    val read = splits.flatMap(_.tasks).map(_.fragmentId).distinct.size
    ReadMetrics.ofPlan(planned = splits.size, fragments = read, skipped = dataset.fragments.size - read) ++
      ReadMetrics.ofIndices(batch.found)
  }

  override def description(): String = translating {
    if (isStream) s"lance $location, stream" else ScanDescription.of(location, dataset.version, batch)
  }

  override def toString: String = translating {
    if (isStream) s"LanceScan($location, stream)" else s"LanceScan($location, version ${dataset.version})"
  }

  override def equals(other: Any): Boolean = translating {
    other match {
      case that: LanceScan => (this eq that) || !isStream && !that.isStream && planned == that.planned
      case _ => false
    }
  }
  override def hashCode: Int = planned.hashCode
}

/** A top-level column, whose name may contain any characters. */
final private case class TopLevel(name: String) extends NamedReference {
  override def fieldNames(): Array[String] = Array(name)
  override def toString: String = name
}

/** Description of a scan in EXPLAIN and the UI. Long lists are truncated, like Spark's own. */
private object ScanDescription {
  final private val MaxItems = 25
  final private val MaxCharacters = 200

  def of(location: TableLocation, version: Long, batch: LanceBatch): String = {
    val spec = batch.spec
    val rows =
      Option.when(
        spec.rows.addresses != RowRanges.all
      )(s"rows at ${Counted(spec.rows.addresses.ranges.size, "place")}")
    val sample = spec.rows.sample.map(s => s"sample [${s.lower}, ${s.upper}) of seed ${s.seed}")
    val filters = Option.unless(spec.filters.isEmpty)(list("filters", spec.filters.pushed.map(_.toString)))
    val top = spec.rows.top.map(TopPushdown.show)
    val exact = Option.when(
      batch.passed.nonEmpty
    )(s", exact in ${Counted(batch.passed.size, "fragment")}").getOrElse("")
    val indices = batch.found.map(answer => s"${show(answer)}$exact")
    val offset = Option.when(spec.rows.slice.offset > 0)(s"offset ${spec.rows.slice.offset}")
    val limit = spec.rows.slice.limit.map(n => s"limit $n")
    val parts = Vector(list("columns", spec.projection.map(_.name))) ++ rows ++ sample ++ filters ++
      indices ++
      top ++ offset ++ limit :+ Counted(batch.splits.size, "split")
    s"lance $location version $version, ${parts.mkString(", ")}"
  }

  /** Names the indices that were searched. */
  def show(answer: IndexAnswer): String = {
    val uses = answer.uses.map(use => s"${use.name} (${use.kind}, segments: ${use.segments})")
    val uncovered =
      Option.when(
        answer.uncovered.nonEmpty
      )(s", ${Counted(answer.uncovered.size, "fragment")} without an index")
    s"${list("indices", uses)} found ${answer.found} rows${uncovered.getOrElse("")}"
  }

  private def list(name: String, items: Vector[String]): String = {
    val more = Option.when(items.size > MaxItems)(s"${items.size - MaxItems} more")
    (items.take(MaxItems).map(cut) ++ more).mkString(s"$name [", ", ", "]")
  }

  private def cut(text: String): String =
    if (text.length <= MaxCharacters) text else s"${text.take(MaxCharacters)}…"
}
