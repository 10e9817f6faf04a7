package io.sparklance.spark.procedures

import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.types.StructType

private[sparklance] object DeregisterTable
    extends LanceProcedure(
      "deregister_table",
      "Removes a table's name from the procedure's catalog, and keeps its files."
    ) {
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table)
  val result: StructType = StructType.fromDDL("location STRING NOT NULL")

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val (registry, table) = arguments.newName
    Iterator(Seq(registry.deregister(table).getOrElse(throw new NoSuchTableException(table))))
  }
}
