package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.validation.Validation

private[sparklance] object Validate
    extends LanceProcedure(
      "validate",
      "Compares a table's manifest with its files; no row means no problem."
    ) {
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, Parameter.version)
  val result: StructType = StructType.fromDDL("fragment BIGINT, file STRING, problem STRING NOT NULL")

  def call(arguments: Arguments): Iterator[Seq[Any]] =
    Validation.problems(arguments.dataset).iterator.map(p => Seq(p.fragment, p.file, p.message))
}
