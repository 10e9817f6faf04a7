package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.index.IndexDrop

private[sparklance] object DropIndex
    extends LanceProcedure("drop_index", "Drops an index. Clean-up removes its files later.") {
  private val index = Parameter.text("name")
  private val ifExists = Parameter.flag("if_exists")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, index, ifExists)
  val result: StructType = VersionResult.columns

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val name = arguments(index)
    val dropped = IndexDrop.drop(arguments.location, name)
    if (dropped.isEmpty && !arguments(ifExists)) throw IndexDrop.missing(arguments.location, name)
    Iterator(Seq[Any](dropped.getOrElse(arguments.latest).version))
  }
}
