package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.table.transaction.Operation

private[sparklance] object UpdateSchemaMetadata
    extends LanceProcedure("update_schema_metadata", "Sets and removes keys of the schema's metadata.") {
  val parameters: Vector[Parameter[_]] =
    Vector(Parameter.table, KeysAndValues.values, KeysAndValues.replace)
  val result: StructType = KeysAndValues.result

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val operation = Operation.UpdateConfig.ofSchema(KeysAndValues.changes(arguments))
    KeysAndValues.rows(KeysAndValues.statement(
      "UPDATE SCHEMA METADATA",
      arguments
    ).commit(arguments.latest, operation).dataset.schema.metadata)
  }
}
