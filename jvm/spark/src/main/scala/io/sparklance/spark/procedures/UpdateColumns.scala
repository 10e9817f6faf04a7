package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.backfill.ColumnsKind

object UpdateColumns
    extends LanceProcedure(
      "update_columns",
      "Gives columns the values of expressions where rows are, and writes nothing but these columns."
    ) {
  private val where = Parameter.text("where").optional

  val parameters: Vector[Parameter[_]] =
    Vector(Parameter.table, ColumnChanges.columns, where, Parameter.version, ColumnChanges.job)

  val result: StructType = ColumnChanges.result

  def call(arguments: Arguments): Iterator[Seq[Any]] =
    ColumnChanges.run(arguments, ColumnsKind.Update, arguments(where))
}
