package io.sparklance.spark.metadata

import io.sparklance.schema.{Field, LanceSchema}

/** Paths of fields by their ids. */
private[metadata] object FieldPaths {

  def of(schema: LanceSchema): Map[Int, String] = schema.fields.flatMap(below("", _)).toMap

  private def below(prefix: String, field: Field): Vector[(Int, String)] = {
    val path = prefix + field.name
    (field.id -> path) +: field.children.flatMap(below(s"$path.", _))
  }
}
