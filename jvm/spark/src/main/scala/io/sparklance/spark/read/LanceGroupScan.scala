package io.sparklance.spark.read

import java.util.OptionalLong

import org.apache.spark.sql.connector.expressions.aggregate.{
  AggregateFunc,
  Aggregation,
  Count,
  CountStar,
  Max,
  Min,
  Sum
}
import org.apache.spark.sql.connector.expressions.filter.{Predicate => SparkPredicate}
import org.apache.spark.sql.connector.expressions.{Expression, NamedReference}
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.{
  Batch,
  InputPartition,
  PartitionReaderFactory,
  Scan,
  Statistics,
  SupportsReportStatistics,
  SupportsRuntimeV2Filtering
}
import org.apache.spark.sql.types.{StructField, StructType}

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.grouping.{GroupAggregate, Grouping}
import io.sparklance.dataset.scan.Split
import io.sparklance.dataset.statistics.End
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.types.SchemaConverter

/** Returns partial aggregates of groups of rows, computed by the tasks that read them. Spark combines them.
  *
  * @param names
  *   Spark's names of the results
  * @param rows
  *   the rows that are read, before runtime filters
  */
final private class LanceGroupScan(
    dataset: Dataset,
    location: TableLocation,
    grouping: Grouping,
    names: Vector[String],
    rows: LanceBatch,
    pushdown: Pushdown
) extends Scan
    with Batch
    with SupportsReportStatistics
    with SupportsRuntimeV2Filtering {
  private var filtered = Option.empty[LanceBatch]
  private def current: LanceBatch = filtered.getOrElse(rows)

  /** At least one without keys: without any result, the sum of the counts would be null. */
  private def splits: Vector[Split] =
    if (current.splits.isEmpty && grouping.keys.isEmpty) Vector(Split(Vector.empty)) else current.splits

  /** Returns the scan of the rows, if their number is all that is asked. */
  private[read] def counted: Option[LanceScan] =
    Option.when(grouping.keys.isEmpty && grouping.aggregates == Vector(GroupAggregate.Rows)) {
      new LanceScan(dataset, location, rows.spec.copy(projection = Vector.empty), Some(pushdown))
    }

  override def readSchema(): StructType = StructType(names.zip(grouping.fields).map { case (name, field) =>
    StructField(name, SchemaConverter.queryType(field, rows.spec.readTypes), field.nullable)
  })
  override def toBatch: Batch = this
  override def planInputPartitions(): Array[InputPartition] = translating {
    splits.map(LanceInputPartition(_)).toArray
  }
  override def createReaderFactory(): PartitionReaderFactory = translating {
    LanceGroupFactory(location.forTasks(dataset), grouping, rows.spec.batchRows, rows.spec.readTypes)
  }

  /** Keys whose names Spark can tell from those of other results. */
  override def filterAttributes(): Array[NamedReference] = {
    val columns = grouping.keys.filter(_.around.isEmpty).map(_.name)
    columns.filter(name => names.count(_ == name) == 1).map(name => TopLevel(name): NamedReference).toArray
  }

  /** Adds runtime filters on keys. They leave out whole groups. Spark evaluates them again. */
  override def filter(predicates: Array[SparkPredicate]): Unit = translating {
    filtered = Some(rows.filtered(predicates.toVector.flatMap(pushdown.translate)))
  }

  /** Says that each row is a group, as Spark assumes of its own aggregates. */
  override def estimateStatistics(): Statistics = translating {
    val ofRows = LanceStatistics.of(dataset, rows)
    val (read, returned) = (rows.spec.schema.defaultSize, readSchema().defaultSize)
    LanceGroupStatistics(math.max(1L, (ofRows.bytes.toDouble * (8 + returned) / (8 + read)).toLong))
  }

  override def supportedCustomMetrics(): Array[CustomMetric] = ReadMetrics.all
  override def reportDriverMetrics(): Array[CustomTaskMetric] = translating {
    val read = splits.flatMap(_.tasks).map(_.fragmentId).distinct.size
    ReadMetrics.ofPlan(planned = splits.size, fragments = read, skipped = dataset.fragments.size - read) ++
      ReadMetrics.ofIndices(current.found)
  }

  override def description(): String = translating {
    val (keys, aggregates) = names.splitAt(grouping.keys.size)
    val by = if (keys.isEmpty) "" else keys.mkString("groups [", ", ", "], ")
    s"${ScanDescription.of(location, dataset.version, current)}, $by${aggregates.mkString("aggregates [", ", ", "]")}"
  }

  private def identity: (Grouping, Vector[String], LanceBatch) = (grouping, names, rows)
  override def equals(other: Any): Boolean = other match {
    case that: LanceGroupScan => identity == that.identity
    case _ => false
  }
  override def hashCode: Int = identity.hashCode
}

final private case class LanceGroupStatistics(bytes: Long) extends Statistics {
  override def sizeInBytes(): OptionalLong = OptionalLong.of(bytes)
  override def numRows(): OptionalLong = OptionalLong.empty
}

private object LanceGroupScan {

  /** Returns a scan if the reader can compute all aggregates and compare all keys.
    *
    * @param averaged
    *   expressions whose sums Spark divides by their counts
    */
  def of(
      dataset: Dataset,
      location: TableLocation,
      spec: ScanSpec,
      aggregation: Aggregation,
      averaged: Vector[Expression],
      pushdown: Pushdown
  ): Option[LanceGroupScan] = {
    val asked = aggregation.groupByExpressions.toVector
    val keys = asked.flatMap(pushdown.sorted(_)).filter(Grouping.canGroupBy)
    val functions = aggregation.aggregateExpressions.toVector
    val aggregates = functions.flatMap(aggregate(dataset, _, averaged, pushdown))
    val fits = keys.size == asked.size && aggregates.size == functions.size && spec.rows.slice.isAll &&
      spec.rows.top.isEmpty
    Option.when(fits) {
      val grouping = Grouping(keys, aggregates)
      val names = keys.map(_.name) ++ functions.map(_.describe)
      val rows = new LanceBatch(dataset, location, spec.copy(projection = grouping.projection))
      new LanceGroupScan(dataset, location, grouping, names, rows, pushdown)
    }
  }

  private def aggregate(
      dataset: Dataset,
      function: AggregateFunc,
      averaged: Vector[Expression],
      pushdown: Pushdown
  ): Option[GroupAggregate] = function match {
    case _: CountStar => Some(GroupAggregate.Rows)
    case _ if LanceCountScan.countsRows(dataset, function) => Some(GroupAggregate.Rows)
    case count: Count if !count.isDistinct => pushdown.counted(count.column).map(GroupAggregate.Values(_))
    case min: Min => outermost(pushdown, min.column, End.Least)
    case max: Max => outermost(pushdown, max.column, End.Greatest)
    case sum: Sum if !sum.isDistinct =>
      this.sum(new TermPushdown(pushdown), sum).filter(hasRoom(_) || !averaged.contains(sum.column))
    case _ => None
  }

  private def outermost(
      pushdown: Pushdown,
      column: Expression,
      end: End
  ): Option[GroupAggregate] =
    pushdown.sorted(column).filter(GroupAggregate.isOrdered).map(GroupAggregate.Outermost(_, end))

  /** Sums of decimals of few digits stay with Spark: it casts partial sums to the type of the operands, which
    * has no room for many of them.
    */
  private def sum(terms: TermPushdown, sum: Sum): Option[GroupAggregate] =
    terms.integer(sum.column).map(GroupAggregate.IntegerSum(_))
      .orElse(terms.decimal(sum.column).filter(_.digits >= FewestDigits).map(GroupAggregate.DecimalSum(_)))
      .orElse(terms.floating(sum.column).map(GroupAggregate.FloatingSum(_)))

  /** Whether the sums of a billion values are no overflow. Spark's own averages add up BIGINTs as doubles,
    * and try_avg makes a null of an overflow, but Spark offers both as a sum that fails.
    */
  private def hasRoom(sum: GroupAggregate): Boolean = sum match {
    case GroupAggregate.IntegerSum(term) => term.digits <= 10
    case GroupAggregate.DecimalSum(term) => term.digits <= 28
    case _ => true
  }

  final private val FewestDigits = 10
}
