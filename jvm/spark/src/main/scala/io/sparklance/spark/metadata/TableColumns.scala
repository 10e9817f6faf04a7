package io.sparklance.spark.metadata

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, StructField, StructType}

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

/** A column of a metadata table.
  *
  * @param comment
  *   comment in DESCRIBE TABLE
  * @param of
  *   computes the value of an item; an Option if the column is nullable
  */
final private[metadata] case class TableColumn[A](
    name: String,
    ddl: String,
    comment: String,
    of: A => Any
) {
  def field: StructField = {
    val (kind, nullable) =
      if (ddl.endsWith(TableColumn.Required)) ddl.stripSuffix(TableColumn.Required) -> false
      else ddl -> true
    StructField(name, DataType.fromDDL(kind), nullable).withComment(comment)
  }
}

private object TableColumn {
  private val Required = " NOT NULL"
}
