package io.sparklance.spark.read

import java.time.Instant

import org.apache.spark.sql.connector.expressions.aggregate.{
  AggregateFunc,
  Aggregation,
  Count,
  CountStar,
  Max,
  Min
}
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.{Batch, InputPartition, PartitionReaderFactory, Scan}
import org.apache.spark.sql.types.{StructField, StructType}

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.aggregate.Aggregate
import io.sparklance.dataset.scan.{ScanPlan, Split}
import io.sparklance.dataset.statistics.End
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.spark.types.SchemaConverter

/** Returns one row of partial aggregates for each split, mostly from statistics. Spark combines them.
  *
  * @param asked
  *   each aggregate, with Spark's name for it
  */
final private class LanceAggregateScan(
    dataset: Dataset,
    location: TableLocation,
    spec: ScanSpec,
    asked: Vector[(String, Aggregate)]
) extends Scan
    with Batch {
  private val aggregates = asked.map(_._2)

  /** At least one split: without any row, the sum of the counts would be null. */
  private lazy val splits: Vector[Split] = {
    val columns = aggregates.collect {
      case Aggregate.Values(leaf) => leaf.only
      case Aggregate.Outermost(leaf, _) => leaf.only
    }.distinct
    val target = spec.split.getOrElse(Session.splitTarget)
    val planned = ScanPlan.splits(dataset, columns, target, spec.rows.addresses)
    if (planned.isEmpty) Vector(Split(Vector.empty)) else planned
  }

  override def readSchema(): StructType = StructType(asked.map { case (name, aggregate) =>
    StructField(name, SchemaConverter.plainType(aggregate.field, spec.readTypes), aggregate.field.nullable)
  })
  override def toBatch: Batch = this
  override def planInputPartitions(): Array[InputPartition] = translating {
    splits.map(LanceInputPartition(_)).toArray
  }
  override def createReaderFactory(): PartitionReaderFactory = translating {
    LanceAggregateFactory(location.forTasks(dataset), aggregates, spec.batchRows, spec.readTypes)
  }

  override def supportedCustomMetrics(): Array[CustomMetric] = ReadMetrics.all
  override def reportDriverMetrics(): Array[CustomTaskMetric] = translating {
    val read = splits.flatMap(_.tasks).map(_.fragmentId).distinct.size
    ReadMetrics.ofPlan(planned = splits.size, fragments = read, skipped = dataset.fragments.size - read)
  }

  override def description(): String = translating {
    s"lance $location version ${dataset.version}, ${asked.map(_._1).mkString("aggregates [", ", ", "]")}, " +
      s"${splits.size} splits"
  }

  private def identity: (TableLocation, Long, Instant, ScanSpec, Vector[(String, Aggregate)]) =
    (location, dataset.version, dataset.timestamp, spec, asked)
  override def equals(other: Any): Boolean = other match {
    case that: LanceAggregateScan => identity == that.identity
    case _ => false
  }
  override def hashCode: Int = identity.hashCode
}

private object LanceAggregateScan {

  /** Returns a scan if all aggregates are supported, over all rows or over a selection by metadata columns.
    */
  def of(
      dataset: Dataset,
      location: TableLocation,
      spec: ScanSpec,
      aggregation: Aggregation,
      pushdown: Pushdown
  ): Option[LanceAggregateScan] = {
    val functions = aggregation.aggregateExpressions.toVector
    val asked = functions.flatMap(f => aggregate(dataset, f, pushdown).map(f.describe -> _))
    val fits = aggregation.groupByExpressions.isEmpty && asked.size == functions.size &&
      spec.rows.slice.isAll && spec.filters.isEmpty && spec.rows.sample.isEmpty
    Option.when(fits)(new LanceAggregateScan(dataset, location, spec, asked))
  }

  private def aggregate(dataset: Dataset, function: AggregateFunc, pushdown: Pushdown): Option[Aggregate] =
    function match {
      case _: CountStar => Some(Aggregate.Rows)
      case _ if LanceCountScan.countsRows(dataset, function) => Some(Aggregate.Rows)
      case count: Count if !count.isDistinct => pushdown.counted(count.column).map(Aggregate.Values(_))
      case min: Min => pushdown.sorted(min.column).map(Aggregate.Outermost(_, End.Least))
      case max: Max => pushdown.sorted(max.column).map(Aggregate.Outermost(_, End.Greatest))
      case _ => None
    }
}
