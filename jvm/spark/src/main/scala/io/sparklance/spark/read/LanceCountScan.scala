package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.expressions.aggregate.{AggregateFunc, Aggregation, Count, CountStar}
import org.apache.spark.sql.connector.read.{LocalScan, PartitionReader}
import org.apache.spark.sql.types.{LongType, StructField, StructType}

import io.sparklance.dataset.Dataset
import io.sparklance.index.search.{IndexCount, IndexSearch}
import io.sparklance.spark.session.TableLocation

/** Answers aggregates that only count rows, without a job.
  *
  * @param asked
  *   Spark's names of the aggregates
  */
final private class LanceCountScan(
    dataset: Dataset,
    location: TableLocation,
    asked: Vector[String],
    counted: RowCount
) extends LocalScan
    with DriverReadable {
  override def readSchema(): StructType = StructType(asked.map(StructField(_, LongType, nullable = false)))
  override def rows(): Array[InternalRow] = Array(InternalRow.fromSeq(asked.map(_ => counted.rows)))
  override def expected: Option[ExpectedRows] = Some(ExpectedRows(1, asked.size * 8L))
  override def driverReaders(most: Long): Iterator[PartitionReader[InternalRow]] =
    rows().iterator.map(new CountedReader(_))
  override def description(): String = s"lance $location version ${dataset.version}, counted by ${counted.by}"
}

/** A number of rows that is known without a scan.
  *
  * @param by
  *   the source of the number
  */
final private case class RowCount(rows: Long, by: String)

private object LanceCountScan {

  /** Returns a scan if the manifest, or indices that answer all filters in all fragments, have the answers.
    *
    * @param byIndices
    *   count of the rows that pass the filters
    */
  def of(
      dataset: Dataset,
      location: TableLocation,
      spec: ScanSpec,
      aggregation: Aggregation,
      byIndices: => Option[IndexCount]
  ): Option[LanceCountScan] = if (!onlyCounts(dataset, aggregation)) None
  else {
    val counted = if (spec.isWhole) ofManifest(dataset) else byIndices.flatMap(ofIndices(dataset, _))
    val asked = aggregation.aggregateExpressions.toVector.map(_.describe)
    counted.map(new LanceCountScan(dataset, location, asked, _))
  }

  /** Whether all aggregates are the number of rows. */
  private def onlyCounts(dataset: Dataset, aggregation: Aggregation): Boolean =
    aggregation.groupByExpressions.isEmpty && aggregation.aggregateExpressions.forall(countsRows(dataset, _))

  /** Counts the rows that pass the filters, in fragments whose indices answer these exactly. */
  def byIndices(dataset: Dataset, spec: ScanSpec): Option[IndexCount] =
    if (!spec.rows.isAll || spec.indices.lists.nonEmpty) None
    else spec.indices.broken.flatMap(IndexSearch.count(dataset, spec.filters.predicate, _))

  private def ofManifest(dataset: Dataset): Option[RowCount] =
    dataset.knownRowCount.map(RowCount(_, "its manifest"))

  private def ofIndices(dataset: Dataset, count: IndexCount): Option[RowCount] =
    Option.when(dataset.fragments.forall(f => count.fragments(f.id)))(RowCount(count.rows, show(count)))

  def show(count: IndexCount): String = count.uses.map(_.name).mkString("the index ", ", ", "")

  def countsRows(dataset: Dataset, function: AggregateFunc): Boolean = function match {
    case _: CountStar => true
    case count: Count if !count.isDistinct =>
      count.column match {
        case reference: NamedReference =>
          dataset.schema.fields.exists(f => !f.nullable && reference.fieldNames.sameElements(Array(f.name)))
        case _ => false
      }
    case _ => false
  }
}
