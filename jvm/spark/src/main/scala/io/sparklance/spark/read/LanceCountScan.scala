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
    rowCount: Long
) extends LocalScan {
  override def readSchema(): StructType = StructType(asked.map(StructField(_, LongType, nullable = false)))
  override def rows(): Array[InternalRow] = Array(InternalRow.fromSeq(asked.map(_ => rowCount)))
  override def description(): String = s"lance $location version ${dataset.version}, counted by its manifest"
}

private object LanceCountScan {

  /** Returns a scan if the manifest has all answers. */
  def of(dataset: Dataset, location: TableLocation, aggregation: Aggregation): Option[LanceCountScan] = {
    val functions = aggregation.aggregateExpressions.toVector
    val fits = aggregation.groupByExpressions.isEmpty && functions.forall(countsRows(dataset, _))
    val shown = functions.map(_.describe)
    dataset.knownRowCount.filter(_ => fits).map(new LanceCountScan(dataset, location, shown, _))
  }

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
