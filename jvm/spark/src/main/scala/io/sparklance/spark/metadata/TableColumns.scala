package io.sparklance.spark.metadata

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, StructField, StructType}

import io.sparklance.spark.session.ResultRow

/** The columns of a metadata table.
  *
  * @tparam A what a row is made of
  */
final private[metadata] class TableColumns[A](columns: TableColumn[A]*) {
  val schema: StructType = StructType(columns.map(_.field))

  /** Of these names, in their order. */
  def chosen(names: Vector[String]): StructType = StructType(names.map(schema(_)))

  /** Makes rows of just those. */
  def row(names: Vector[String]): A => InternalRow = {
    val values = names.map(name => columns(schema.fieldIndex(name)).of)
    item => ResultRow(values.map(_(item)))
  }
}

/** @param of its value; an Option where there may be none */
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
