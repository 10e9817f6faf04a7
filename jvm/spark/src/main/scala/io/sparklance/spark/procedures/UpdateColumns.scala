package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.options.BackfillKind

private[sparklance] object UpdateColumns
    extends LanceProcedure(
      "update_columns",
      "Sets columns of existing rows to the values of expressions, and writes only these columns."
    ) {
  private val where = Parameter.text("where").optional

  val parameters: Vector[Parameter[_]] =
    Vector(Parameter.table, BackfillArguments.columns, where, Parameter.version, BackfillArguments.job)

  val result: StructType = BackfillArguments.result

  def call(arguments: Arguments): Iterator[Seq[Any]] =
    BackfillArguments.run(arguments, BackfillKind.Update, arguments(where))
}
