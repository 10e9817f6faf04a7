package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.table.transaction.Operation

private[sparklance] object UpdateMetadata
    extends LanceProcedure("update_metadata", "Sets and removes keys of a table's own metadata.") {
  val parameters: Vector[Parameter[_]] =
    Vector(Parameter.table, KeysAndValues.values, KeysAndValues.replace)
  val result: StructType = KeysAndValues.result

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val operation = Operation.UpdateConfig.ofTable(KeysAndValues.changes(arguments))
    KeysAndValues.rows(KeysAndValues.statement(
      "UPDATE METADATA",
      arguments
    ).commit(arguments.latest, operation).dataset.manifest.tableMetadata)
  }
}
