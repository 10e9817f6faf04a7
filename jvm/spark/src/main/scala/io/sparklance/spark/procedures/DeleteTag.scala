package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.TableRefs
import io.sparklance.spark.metadata.TagsTable

private[sparklance] object DeleteTag
    extends LanceProcedure("delete_tag", "Deletes a tag, and shows its version.") {
  private val tag = Parameter.text("tag")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, tag)
  val result: StructType = TagsTable.schema

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val name = arguments(tag)
    Iterator(TagsTable.row(name -> new TableRefs(arguments.latest).tags.delete(name)))
  }
}
