package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.options.BackfillKind

private[sparklance] object AddColumns
    extends LanceProcedure(
      "add_columns",
      "Adds columns with values of expressions, and writes nothing but these."
    ) {
  val parameters: Vector[Parameter[_]] =
    Vector(Parameter.table, BackfillArguments.columns, Parameter.version, BackfillArguments.job)

  val result: StructType = BackfillArguments.result

  def call(arguments: Arguments): Iterator[Seq[Any]] =
    BackfillArguments.run(arguments, BackfillKind.Add, where = None)
}
