package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch, ColumnarBatchRow}

import io.sparklance.schema.Field

/** Hands out the rows of batches, each in the same object: for projections that [[WideVectors]] dominate. */
final private class LanceRowReader(
    batches: PartitionReader[ColumnarBatch],
    projection: Vector[Field],
    vectors: Array[LanceColumnVector]
) extends PartitionReader[InternalRow] {
  private val wide = projection.map(WideVectors.dimension(_).map(new UnsafeLists(_))).toArray
  private val current = new ColumnarBatchRow(vectors.toArray[ColumnVector])
  private val types = vectors.map(_.dataType)
  private val values = new Array[Any](vectors.length)
  private val row = new GenericInternalRow(values)
  private var count = 0
  private var at = -1

  override def next(): Boolean = {
    at += 1
    while (at == count && batches.next()) {
      count = batches.get().numRows
      at = 0
    }
    at < count
  }

  override def get(): InternalRow = {
    current.rowId = at
    var i = 0
    while (i < values.length) {
      values(i) = if (vectors(i).isNullAt(at)) null else value(i)
      i += 1
    }
    row
  }

  private def value(column: Int): Any = (wide(column), vectors(column)) match {
    case (Some(unsafe), lists: FixedSizeListVector) => unsafe.at(lists.block, at)
    case _ => current.get(column, types(column))
  }

  override def currentMetricsValues(): Array[CustomTaskMetric] = batches.currentMetricsValues()

  override def close(): Unit = batches.close()
}
