package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

private[sparklance] object RegisterTable
    extends LanceProcedure("register_table", "Gives an existing table a name in the procedure's catalog.") {
  private val location = Parameter.text("location")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, location)
  val result: StructType = StructType.fromDDL("location STRING NOT NULL")

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val (registry, table) = arguments.newName
    Iterator(Seq(registry.register(table, arguments(location))))
  }
}
