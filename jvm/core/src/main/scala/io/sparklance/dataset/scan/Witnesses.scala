package io.sparklance.dataset.scan

import io.sparklance.file.FileColumns
import io.sparklance.schema.{Field, Leaf}

/** Columns read for their structs and lists. Only leaves record which structs are null and how long lists
  * are. If a projection wants no existing leaf of one, another leaf is read instead: its witness.
  */
private object Witnesses {

  /** @param full
    *   a top-level field with all that is in it
    * @param projected
    *   the same, with what is wanted of it
    * @param isStored
    *   whether the fragment has a column for a field
    */
  def of(full: Field, projected: Field, isStored: Field => Boolean): Vector[Leaf] = {
    val stored = FileColumns.leaves(full).filter(leaf => isStored(leaf.field))
    def within(field: Field): Vector[Leaf] = stored.filter(_.around.exists(_.id == field.id))
    def needed(field: Field): Vector[Leaf] = {
      val inside = field.children.flatMap(needed)
      val wanted = FileColumns.leaves(field).map(_.field.id)
      if (inside.nonEmpty || within(field).exists(leaf => wanted.contains(leaf.field.id))) inside
      else within(field).headOption.toVector
    }
    needed(projected)
  }
}
