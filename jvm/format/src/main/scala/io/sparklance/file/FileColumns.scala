package io.sparklance.file

import io.sparklance.data.FileVersion
import io.sparklance.schema.{Field, LanceSchema, Leaf}

/** Fields of a schema that are columns of a file. Since 2.1 these are fields without children: structs, lists
  * and maps exist in their children's levels only. Before, all fields are columns. A packed struct or a blob
  * is one column with all of its fields.
  */
private[sparklance] object FileColumns {

  /** The fields that are columns, in the order of the columns. */
  def of(schema: LanceSchema, version: FileVersion): Vector[Field] = schema.fields.flatMap(of(_, version))

  /** Returns the columns of a top-level field. */
  def of(field: Field, version: FileVersion): Vector[Field] = version match {
    case FileVersion.V0_1 | FileVersion.V2_0 => fromParents(field)
    case FileVersion.V2_1 | FileVersion.V2_2 => leaves(field).map(_.field)
  }

  /** The columns of values below a top-level field. */
  def leaves(field: Field): Vector[Leaf] =
    if (isOneColumn(field)) Vector(Leaf(Vector.empty, field))
    else field.children.flatMap(leaves).map(leaf => leaf.copy(around = field +: leaf.around))

  private def fromParents(field: Field): Vector[Field] =
    if (isOneColumn(field)) Vector(field) else field +: field.children.flatMap(fromParents)

  private def isOneColumn(field: Field): Boolean = field.children.isEmpty || field.isPacked || field.isBlob
}
