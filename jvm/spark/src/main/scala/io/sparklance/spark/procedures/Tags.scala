package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.TableRefs

object Tags extends LanceProcedure("tags", "Lists the tags of a table.") {
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table)
  val result: StructType = TagRow.columns

  def call(arguments: Arguments): Iterator[Seq[Any]] =
    new TableRefs(arguments.latest).tags.all.iterator.map { case (name, tag) => TagRow(name, tag) }
}
