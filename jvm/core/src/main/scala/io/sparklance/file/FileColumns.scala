package io.sparklance.file

import io.sparklance.schema.{Field, LanceSchema, Leaf}

/** Which fields of a schema are columns of a file: those without children. A packed struct or a blob is one column with all
  * that is below it; other structs, lists and maps are only seen in their children's levels.
  */
object FileColumns {

  /** The fields that are columns, in the order of the columns. */
  def of(schema: LanceSchema): Vector[Field] = schema.fields.flatMap(leaves).map(_.field)

  /** The columns below a top-level field. */
  def leaves(field: Field): Vector[Leaf] =
    if (field.children.isEmpty || field.isPacked || field.isBlob) Vector(Leaf(Vector.empty, field))
    else field.children.flatMap(leaves).map(leaf => leaf.copy(around = field +: leaf.around))
}
