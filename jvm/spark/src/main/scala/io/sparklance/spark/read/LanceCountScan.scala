package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.expressions.aggregate.{AggregateFunc, Aggregation, Count, CountStar}
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.types.{LongType, StructField, StructType}

import io.sparklance.dataset.Dataset
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
) extends LocalScan {
  override def readSchema(): StructType = StructType(asked.map(StructField(_, LongType, nullable = false)))
  override def rows(): Array[InternalRow] = Array(InternalRow.fromSeq(asked.map(_ => counted.rows)))
  override def description(): String = s"lance $location version ${dataset.version}, counted by ${counted.by}"
}

/** @param by the source of the number */
final private case class RowCount(rows: Long, by: String)

private object LanceCountScan {

  /** Returns a scan if the manifest, or an index that answers all filters, has the answers. */
  def of(
      dataset: Dataset,
      location: TableLocation,
      spec: ScanSpec,
      aggregation: Aggregation
  ): Option[LanceCountScan] = {
    val functions = aggregation.aggregateExpressions.toVector
    val fits = aggregation.groupByExpressions.isEmpty && functions.forall(countsRows(dataset, _))
    val counted =
      if (!fits) None else if (spec.isWhole) ofManifest(dataset) else ofIndex(dataset, location, spec)
    counted.map(new LanceCountScan(dataset, location, functions.map(_.describe), _))
  }

  private def ofManifest(dataset: Dataset): Option[RowCount] =
    dataset.knownRowCount.map(RowCount(_, "its manifest"))

  private def ofIndex(dataset: Dataset, location: TableLocation, spec: ScanSpec): Option[RowCount] =
    for {
      answer <- if (spec.rows.isAll) new LanceBatch(dataset, location, spec).found else None
      if answer.isExact && spec.indices.lists.isEmpty
    } yield RowCount(
      dataset.liveRows(answer.addresses),
      answer.uses.map(_.name).mkString("the index ", ", ", "")
    )

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
