package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.table.transaction.Operation

private[sparklance] object UpdateTableConfig
    extends LanceProcedure("update_config", "Sets and removes keys of a table's config.") {
  val parameters: Vector[Parameter[_]] =
    Vector(Parameter.table, KeysAndValues.values, KeysAndValues.replace)
  val result: StructType = KeysAndValues.result

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val operation = Operation.UpdateConfig.ofConfig(KeysAndValues.changes(arguments))
    KeysAndValues.rows(KeysAndValues.statement(
      "UPDATE CONFIG",
      arguments
    ).commit(arguments.latest, operation).dataset.config)
  }
}
