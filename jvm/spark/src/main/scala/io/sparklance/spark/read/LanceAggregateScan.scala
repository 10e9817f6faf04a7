package io.sparklance.spark.read

import java.time.Instant

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.expressions.aggregate.{
  AggregateFunc,
  Aggregation,
  Count,
  CountStar,
  Max,
  Min
}
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.{Batch, InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.types.{StructField, StructType}

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.aggregate.Aggregate
import io.sparklance.dataset.scan.{ScanPlan, Split}
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.dataset.statistics.End
import io.sparklance.index.search.{BrokenIndices, IndexAnswer, IndexCount, IndexEnd, IndexEnds}
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.{Counted, Session, TableLocation}
import io.sparklance.spark.types.SchemaConverter

/** Returns one row of partial aggregates for each split, mostly from statistics. Spark combines them.
  *
  * @param asked
  *   each aggregate, with Spark's name for it
  * @param counted
  *   the part of a count that indices answer: a row of its own
  */
final private class LanceAggregateScan(
    dataset: Dataset,
    location: TableLocation,
    spec: ScanSpec,
    asked: Vector[(String, Aggregate)],
    counted: Option[IndexCount]
) extends DriverReadable
    with Batch {
  private val aggregates = asked.map(_._2)

  /** At least one, unless there is a count: without any row, the sum of the counts would be null. */
  private lazy val splits: Vector[Split] = {
    val columns = aggregates.collect {
      case Aggregate.Values(leaf) => leaf.only
      case Aggregate.Outermost(leaf, _) => leaf.only
    }.distinct
    val target = spec.split.getOrElse(Session.splitTarget)
    val planned = ScanPlan.splits(dataset, columns, target, addresses, spec.filters.predicate)
    if (planned.isEmpty && counted.isEmpty) Vector(Split(Vector.empty)) else planned
  }

  private def addresses: RowRanges = counted match {
    case Some(count) =>
      val others = dataset.fragments.map(_.id).filterNot(count.fragments)
      dataset.addressesOf(MetadataColumn.FragId, RowRanges.ofRows(others.toArray))
    case None => outermost.fold(spec.rows.addresses)(_.addresses)
  }

  /** Rows with all minima and maxima, if indices know such rows and nothing else is asked. */
  private lazy val outermost: Option[IndexAnswer] =
    if (counted.isDefined || spec.rows.addresses != RowRanges.all) None
    else
      for {
        broken <- spec.indices.broken
        found <- aggregates.foldLeft(Option(Vector.empty[IndexAnswer])) { (all, aggregate) =>
          for (answers <- all; answer <- outermost(aggregate, broken)) yield answers :+ answer
        }
      } yield found.reduce(_.union(_))

  private def outermost(aggregate: Aggregate, broken: BrokenIndices): Option[IndexAnswer] = aggregate match {
    case Aggregate.Outermost(leaf, end) =>
      IndexEnds.find(dataset, leaf, IndexEnd.Extreme(end == End.Least), wanted = 1, broken)
    case Aggregate.Rows | Aggregate.Values(_) => None
  }

  override def readSchema(): StructType = StructType(asked.map { case (name, aggregate) =>
    StructField(name, SchemaConverter.queryType(aggregate.field, spec.readTypes), aggregate.field.nullable)
  })
  override def toBatch: Batch = this
  override def planInputPartitions(): Array[InputPartition] = translating {
    (counted.map(count => CountedPartition(count.rows)) ++ splits.map(LanceInputPartition(_))).toArray
  }
  override def createReaderFactory(): PartitionReaderFactory = translating {
    LanceAggregateFactory(location.forTasks(dataset), aggregates, spec.batchRows, spec.readTypes)
  }

  override def expected: Option[ExpectedRows] = translating {
    val read = dataset.storedRows(addresses)
    Some(ExpectedRows(read, read * 8L * aggregates.size))
  }
  override def driverReaders(most: Long): Iterator[PartitionReader[InternalRow]] =
    planInputPartitions().iterator.map(createReaderFactory().createReader)

  override def supportedCustomMetrics(): Array[CustomMetric] = ReadMetrics.all
  override def reportDriverMetrics(): Array[CustomTaskMetric] = translating {
    val read = splits.flatMap(_.tasks).map(_.fragmentId).distinct.size
    ReadMetrics.ofPlan(planned = splits.size, fragments = read, skipped = dataset.fragments.size - read) ++
      ReadMetrics.ofIndices(outermost)
  }

  override def description(): String = translating {
    val by =
      counted.map(count => s"${Counted(count.fragments.size, "fragment")} by ${LanceCountScan.show(count)}, ")
        .orElse(outermost.map(answer => s"${ScanDescription.show(answer)}, ")).getOrElse("")
    s"lance $location version ${dataset.version}, ${asked.map(_._1).mkString("aggregates [", ", ", "]")}, " +
      s"$by${Counted(splits.size, "split")}"
  }

  private def identity
      : (TableLocation, (Long, Instant, Option[String]), ScanSpec, Vector[(String, Aggregate)]) =
    (location, dataset.identity, spec, asked)
  override def equals(other: Any): Boolean = other match {
    case that: LanceAggregateScan => identity == that.identity
    case _ => false
  }
  override def hashCode: Int = identity.hashCode
}

private object LanceAggregateScan {

  /** Returns a scan if all aggregates are supported, over all rows or over a selection by metadata columns,
    * or if they count rows that pass filters, and indices count a part of them.
    *
    * @param byIndices
    *   that part, if there are filters
    */
  def of(
      dataset: Dataset,
      location: TableLocation,
      spec: ScanSpec,
      aggregation: Aggregation,
      pushdown: Pushdown,
      byIndices: => Option[IndexCount]
  ): Option[LanceAggregateScan] = {
    val functions = aggregation.aggregateExpressions.toVector
    val asked = functions.flatMap(f => aggregate(dataset, f, pushdown).map(f.describe -> _))
    val fits = aggregation.groupByExpressions.isEmpty && asked.size == functions.size &&
      spec.rows.slice.isAll && spec.rows.sample.isEmpty
    if (!fits) None
    else if (spec.filters.isEmpty) Some(new LanceAggregateScan(dataset, location, spec, asked, None))
    else if (asked.exists(_._2 != Aggregate.Rows)) None
    else byIndices.map(count => new LanceAggregateScan(dataset, location, spec, asked, Some(count)))
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
