package io.sparklance.spark.read

import org.apache.spark.sql.connector.expressions.aggregate.Aggregation
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.{
  Scan,
  ScanBuilder,
  SupportsPushDownAggregates,
  SupportsPushDownLimit,
  SupportsPushDownOffset,
  SupportsPushDownRequiredColumns,
  SupportsPushDownV2Filters
}
import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.{Dataset, RowSlice}
import io.sparklance.spark.{SchemaConverter, TableLocation}

/** Takes from Spark what the scan can do by itself, exactly, so that Spark need not do it again. It is asked for filters first,
  * then for aggregates, a limit, an offset, and columns last.
  */
final class LanceScanBuilder(dataset: Dataset, location: TableLocation, all: ScanSpec)
    extends ScanBuilder
    with SupportsPushDownV2Filters
    with SupportsPushDownAggregates
    with SupportsPushDownLimit
    with SupportsPushDownOffset
    with SupportsPushDownRequiredColumns {
  private val places = new PlacePredicates(dataset)
  private var spec = all
  private var pushed = Array.empty[Predicate]
  private var limit = Option.empty[Long]
  private var count = Option.empty[LanceCountScan]

  override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] = {
    val (exact, others) = predicates.partition(places.selection(_).isDefined)
    pushed = exact
    spec = spec.copy(selection = exact.flatMap(places.selection(_)).foldLeft(spec.selection)(_.intersect(_)))
    others
  }

  override def pushedPredicates(): Array[Predicate] = pushed

  override def supportCompletePushDown(aggregation: Aggregation): Boolean = counted(aggregation).isDefined

  override def pushAggregation(aggregation: Aggregation): Boolean = {
    count = counted(aggregation)
    count.isDefined
  }

  private def counted(aggregation: Aggregation): Option[LanceCountScan] =
    if (spec.isWhole) LanceCountScan.of(dataset, location, aggregation) else None

  override def pushLimit(rows: Int): Boolean = {
    limit = Some(rows.toLong)
    spec = spec.copy(slice = RowSlice(0, limit))
    true
  }

  override def isPartiallyPushed: Boolean = false

  /** If there is a limit, it came first and counts the rows that are skipped. */
  override def pushOffset(rows: Int): Boolean = {
    spec = spec.copy(slice = RowSlice(rows.toLong, limit.map(n => math.max(0, n - rows))))
    true
  }

  override def pruneColumns(required: StructType): Unit = spec = spec.pruned(required)

  override def build(): Scan = count.getOrElse {
    SchemaConverter.refuseUnsupported(spec.projection)
    new LanceScan(dataset, location, spec)
  }
}
