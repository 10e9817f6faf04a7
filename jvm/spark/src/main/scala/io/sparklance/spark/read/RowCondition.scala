package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Predicate}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatchRow}

import io.sparklance.data.Column
import io.sparklance.dataset.nearest.RowTest
import io.sparklance.dataset.scan.SplitReader
import io.sparklance.schema.Field
import io.sparklance.spark.types.ReadTypeOptions

/** A condition that Spark evaluates on rows that a reader of the core has found; serializable for tasks.
  *
  * @param fields
  *   columns of the rows, without blobs
  * @param attributes
  *   their attributes in the condition
  */
final private[spark] case class RowCondition(
    fields: Vector[Field],
    readTypes: ReadTypeOptions,
    attributes: Vector[Attribute],
    condition: Expression
) {

  /** Opens the condition for the rows of a reader. */
  def open(reader: SplitReader): RowTest = new RowTest {
    private val vectors =
      fields.map(ColumnVectors.of(_, readTypes, reader.place, RowCondition.noBlobs)).toArray
    private val row = new ColumnarBatchRow(vectors.toArray[ColumnVector])
    private val passes = Predicate.create(condition, attributes)
    passes.initialize(0)

    override def drop(columns: Vector[Column], count: Int, dropped: Array[Boolean]): Unit = {
      columns.iterator.zip(vectors.iterator).foreach { case (column, vector) => vector.show(column) }
      var i = 0
      while (i < count) {
        row.rowId = i
        dropped(i) = !passes.eval(row)
        i += 1
      }
    }
  }
}

private[spark] object RowCondition {
  private def noBlobs(field: Field): ShownBlobs =
    throw new IllegalStateException(s"a condition on the blobs of ${field.name}")
}
