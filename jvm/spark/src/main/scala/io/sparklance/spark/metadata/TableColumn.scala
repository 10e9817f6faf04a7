package io.sparklance.spark.metadata

import org.apache.spark.sql.types.{DataType, StructField}

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
