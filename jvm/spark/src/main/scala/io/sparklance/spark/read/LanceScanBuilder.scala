package io.sparklance.spark.read

import org.apache.spark.sql.connector.expressions.aggregate.{Aggregation, Avg}
import org.apache.spark.sql.connector.expressions.filter.{Predicate => SparkPredicate}
import org.apache.spark.sql.connector.expressions.{Expression, SortOrder}
import org.apache.spark.sql.connector.read.{
  Scan,
  ScanBuilder,
  SupportsPushDownAggregates,
  SupportsPushDownLimit,
  SupportsPushDownOffset,
  SupportsPushDownRequiredColumns,
  SupportsPushDownTableSample,
  SupportsPushDownTopN,
  SupportsPushDownV2Filters
}
import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.{RowSample, RowSlice, SplitTarget}
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.StatementContext
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.spark.types.SchemaConverter

/** Collects what Spark pushes down. The scan evaluates all of it exactly, so Spark need not, except for a
  * top-N order. Spark offers a sample and filters first, then aggregates, a limit, an offset, and columns
  * last.
  *
  * @param pushdown
  *   translates filters on values, if the reader is to evaluate any
  * @param takesAggregates
  *   whether Spark's aggregates can be trusted to be what they seem
  * @param streams
  *   streams of the table's rows, if it has any. Spark pushes nothing down to a stream, so that `dataset` is
  *   not evaluated for it
  */
final private[sparklance] class LanceScanBuilder(
    dataset: => Dataset,
    location: TableLocation,
    all: ScanSpec,
    pushdown: Option[Pushdown],
    takesAggregates: Boolean,
    streams: Option[RowStreams] = None
) extends ScanBuilder
    with SupportsPushDownTableSample
    with SupportsPushDownV2Filters
    with SupportsPushDownAggregates
    with SupportsPushDownTopN
    with SupportsPushDownLimit
    with SupportsPushDownOffset
    with SupportsPushDownRequiredColumns {
  private lazy val places = new MetadataColumnPredicates(dataset)
  private var spec = all
  private var pushed = Array.empty[SparkPredicate]
  private var limit = Option.empty[Long]
  private var aggregated = Option.empty[Scan]
  private var averaged = Vector.empty[Expression]

  // Spark asks twice for aggregates, and has pushed all filters then.
  private lazy val byIndices = LanceCountScan.byIndices(dataset, spec)

  /** Adds filters that Spark evaluates on each row. */
  private[spark] def withLists(filters: Vector[ListFilter]): LanceScanBuilder = {
    val lists = filters.flatMap(f => pushdown.flatMap(_.listed(f)))
    spec = spec.copy(indices = spec.indices.copy(lists = lists))
    this
  }

  /** Tests all rows again that indices find. Statements that change rows do so, because a damaged index must
    * not choose the rows that they delete.
    */
  private[spark] def rechecking: LanceScanBuilder = {
    spec = spec.copy(indices = spec.indices.copy(rechecks = true))
    this
  }

  /** Accepts samples without replacement. */
  override def pushTableSample(
      lower: Double,
      upper: Double,
      withReplacement: Boolean,
      seed: Long
  ): Boolean = {
    if (!withReplacement) spec = spec.withRows(_.copy(sample = Some(RowSample(lower, upper, seed))))
    !withReplacement
  }

  override def pushPredicates(predicates: Array[SparkPredicate]): Array[SparkPredicate] = translating {
    val selections = predicates.map(predicate => predicate -> places.selection(predicate))
    val others = selections.collect { case (predicate, None) => predicate }
    val translated = others.map(p => p -> pushdown.flatMap(_.translate(p)))
    val known = translated.collect { case (predicate, Some(_)) => predicate }
    val filter = Predicate.all(translated.flatMap(_._2).toIndexedSeq: _*)
    pushed = selections.collect { case (predicate, Some(_)) => predicate } ++ known
    val left = translated.collect { case (predicate, None) => predicate }
    // Spark tests texts again: an index tells which rows may pass.
    val texts = spec.indices.broken.toVector.flatMap(new TextConditions(dataset, _).candidates(left))
    val addresses = (selections.flatMap(_._2) ++ texts).foldLeft(spec.rows.addresses)(_.intersect(_))
    spec = spec.withRows(_.copy(addresses = addresses))
      .copy(filters = ScanFilters(filter, known.toVector))
    left
  }

  override def pushedPredicates(): Array[SparkPredicate] = pushed

  /** Spark asks so for averages first. It offers their sums and counts instead, as this answers no. */
  override def supportCompletePushDown(aggregation: Aggregation): Boolean = translating {
    averaged ++= aggregation.aggregateExpressions.collect { case average: Avg => average.column }
    counted(aggregation).isDefined
  }

  /** Accepts aggregates that the manifest answers, or that splits answer in part and Spark combines. Those
    * without groups and filters may need no look at the rows.
    */
  override def pushAggregation(aggregation: Aggregation): Boolean = translating {
    streams.foreach(_.refuseInBatch())
    aggregated = counted(aggregation).orElse(
      pushdown.filter(_ => takesAggregates).flatMap { known =>
        LanceAggregateScan.of(dataset, location, spec, aggregation, known, byIndices)
          .orElse(LanceGroupScan.of(dataset, location, spec, aggregation, averaged, known))
      }
    )
    aggregated.isDefined
  }

  private def counted(aggregation: Aggregation): Option[LanceCountScan] =
    if (takesAggregates) LanceCountScan.of(dataset, location, spec, aggregation, byIndices) else None

  override def pushLimit(rows: Int): Boolean = canSlice && {
    limit = Some(rows.toLong)
    spec = spec.withRows(_.copy(slice = RowSlice(0, limit)))
    true
  }

  /** Whether a slice of rows is known beforehand: no filter, no random sample. */
  private def canSlice: Boolean =
    aggregated.isEmpty && spec.filters.isEmpty && spec.rows.sample.isEmpty && spec.rows.top.isEmpty

  override def pushTopN(orders: Array[SortOrder], limit: Int): Boolean = translating {
    if (aggregated.isEmpty && spec.rows.slice.isAll)
      spec = spec.withRows(_.copy(top = pushdown.flatMap(new TopPushdown(_).of(orders.toVector, limit))))
    spec.rows.top.isDefined
  }

  /** Whether Spark must sort and limit again. */
  override def isPartiallyPushed: Boolean = spec.rows.top.isDefined

  /** Accepts an offset. A limit comes first, and counts the skipped rows. */
  override def pushOffset(rows: Int): Boolean = canSlice && {
    spec = spec.withRows(_.copy(slice = RowSlice(rows.toLong, limit.map(n => math.max(0, n - rows)))))
    true
  }

  override def pruneColumns(required: StructType): Unit = translating {
    spec = spec.pruned(required)
  }

  override def build(): Scan = translating {
    aggregated.getOrElse(buildRows())
  }

  /** Builds the scan of a query without pushed aggregates. */
  private[spark] def buildRows(): LanceScan = {
    SchemaConverter.refuseUnsupported(spec.projection)
    val whole =
      Option.when(StatementContext.wantsWholeFragments(dataset))(SplitTarget.Uncut(Session.splitTarget))
    new LanceScan(dataset, location, spec.copy(split = whole.orElse(spec.split)), pushdown, streams)
  }
}
