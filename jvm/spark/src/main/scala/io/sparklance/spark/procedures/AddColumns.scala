package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.backfill.ColumnsKind

object AddColumns
    extends LanceProcedure(
      "add_columns",
      "Adds columns with values of expressions, and writes nothing but these."
    ) {
  val parameters: Vector[Parameter[_]] =
    Vector(Parameter.table, ColumnChanges.columns, Parameter.version, ColumnChanges.job)

  val result: StructType = ColumnChanges.result

  def call(arguments: Arguments): Iterator[Seq[Any]] =
    ColumnChanges.run(arguments, ColumnsKind.Add, where = None)
}
