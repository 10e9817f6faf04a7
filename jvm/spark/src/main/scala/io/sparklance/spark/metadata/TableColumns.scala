package io.sparklance.spark.metadata

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import io.sparklance.spark.session.ResultRow

/** The columns of a metadata table.
  *
  * @tparam A
  *   the item that a row describes
  */
final private[metadata] class TableColumns[A](columns: TableColumn[A]*) {
  val schema: StructType = StructType(columns.map(_.field))

  /** Returns the columns with these names, in their order. */
  def chosen(names: Vector[String]): StructType = StructType(names.map(schema(_)))

  /** Returns the values of all columns. */
  def values(item: A): Seq[Any] = columns.map(_.of(item))

  /** Makes rows of the columns with these names. */
  def row(names: Vector[String]): A => InternalRow = {
    val values = names.map(name => columns(schema.fieldIndex(name)).of)
    item => ResultRow(values.map(_(item)))
  }
}
