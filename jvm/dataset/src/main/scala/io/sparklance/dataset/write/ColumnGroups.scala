package io.sparklance.dataset.write

import io.sparklance.schema.{Field, LanceSchema}

/** Top-level columns that a write puts in files of their own, by name: a file for each group. All other
  * columns share the first file.
  */
final private[sparklance] case class ColumnGroups(groups: Vector[Vector[String]]) {

  /** Returns the columns of each file. */
  private[dataset] def of(schema: LanceSchema): Vector[Vector[Field]] =
    divide(schema).map(_.map(schema.fields))

  /** Returns the positions of each file's columns. Each name must be a column of the schema, and be given
    * once.
    */
  private[write] def divide(schema: LanceSchema): Vector[Vector[Int]] = {
    val positions = schema.fields.map(_.name).zipWithIndex.toMap
    val apart = groups.map(_.map(positions).sorted)
    require(apart.flatten.distinct.size == apart.flatten.size, s"a column is in two of $groups")
    val rest = schema.fields.indices.toVector.diff(apart.flatten)
    if (rest.isEmpty && apart.nonEmpty) apart else rest +: apart
  }
}

private[sparklance] object ColumnGroups {

  /** All columns in one file. */
  val one: ColumnGroups = ColumnGroups(Vector.empty)
}
