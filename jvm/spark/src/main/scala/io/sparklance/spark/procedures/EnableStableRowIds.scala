package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.history.Statement

private[sparklance] object EnableStableRowIds
    extends LanceProcedure(
      "enable_stable_row_ids",
      "Gives the rows of a table ids that they keep when they are updated or moved."
    ) {
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table)
  val result: StructType = StructType.fromDDL("version BIGINT NOT NULL, enabled BOOLEAN NOT NULL")

  private val statement = Statement("ENABLE STABLE ROW IDS")

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val latest = arguments.latest
    if (latest.hasStableRowIds) Iterator(Seq[Any](latest.version, false))
    else Iterator(Seq[Any](statement.commit(latest, latest.identifyingRows).dataset.version, true))
  }
}
