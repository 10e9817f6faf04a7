package io.sparklance.schema

import io.sparklance.LanceUsageException

/** Choosing some of a schema's fields. */
object Projection {

  /** The top-level fields of these names, in the order of the names. */
  def byNames(schema: LanceSchema, names: Seq[String]): Vector[Field] = {
    val byName = schema.fields.map(f => f.name -> f).toMap
    names.iterator
      .map(name => byName.getOrElse(name, throw new LanceUsageException(unknown(schema, name))))
      .toVector
  }

  /** The fields of these ids with all that is below them, and the parents that lead to them; in schema order. */
  def byIds(schema: LanceSchema, ids: Set[Int]): LanceSchema =
    schema.copy(fields = schema.fields.flatMap(prune(_, ids)))

  private def prune(field: Field, ids: Set[Int]): Option[Field] =
    if (ids.contains(field.id)) Some(field)
    else Some(field.copy(children = field.children.flatMap(prune(_, ids)))).filter(_.children.nonEmpty)

  private def unknown(schema: LanceSchema, name: String): String =
    s"""There is no column "$name": the table has ${schema.fields.map(
        _.name
      ).mkString(", ")}. Name one of these."""
}
