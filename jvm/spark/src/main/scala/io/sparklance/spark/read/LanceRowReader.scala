package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BaseGenericInternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch, ColumnarBatchRow}

import io.sparklance.schema.Field

/** Returns the rows of batches in one reused object, for projections that [[WideVectors]] dominate. */
final private class LanceRowReader(
    batches: PartitionReader[ColumnarBatch],
    projection: Vector[Field],
    vectors: Array[LanceColumnVector]
) extends PartitionReader[InternalRow] {
  private val row = new RowWithUnsafeLists(projection, vectors)
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

  override def get(): InternalRow = row.to(at)

  override def currentMetricsValues(): Array[CustomTaskMetric] = batches.currentMetricsValues()

  override def close(): Unit = batches.close()
}

/** A row of a batch. Values are converted on access, as in vectors: rows that Spark's own filter drops copy
  * no list and read no blob, and may hold values that Spark types cannot.
  */
final private class RowWithUnsafeLists(projection: Vector[Field], vectors: Array[LanceColumnVector])
    extends BaseGenericInternalRow {
  private val wide = projection.map(WideVectors.dimension(_).map(new UnsafeLists(_))).toArray
  private val current = new ColumnarBatchRow(vectors.toArray[ColumnVector])
  private val types = vectors.map(_.dataType)

  /** Moves to a row of the batch. */
  def to(index: Int): this.type = {
    current.rowId = index
    this
  }

  override def numFields: Int = vectors.length
  override def isNullAt(column: Int): Boolean = vectors(column).isNullAt(current.rowId)

  override protected def genericGet(column: Int): Any =
    if (isNullAt(column)) null
    else
      (wide(column), vectors(column)) match {
        case (Some(unsafe), lists: FixedSizeListVector) => unsafe.at(lists.block, current.rowId)
        case _ => current.get(column, types(column))
      }

  override def setNullAt(column: Int): Unit = readOnly
  override def update(column: Int, value: Any): Unit = readOnly
  private def readOnly: Nothing = throw new UnsupportedOperationException("rows of a scan are read only")
}
