package io.sparklance.schema

import io.sparklance.UnsupportedLanceFeatureException

/** A field that files store as a column of its own, and the fields around it.
  *
  * @param around
  *   structs, lists and maps, outermost first; each is the parent of the next
  */
final private[sparklance] case class Leaf(around: Vector[Field], field: Field) {

  /** Whether the leaf is a struct without fields, with nothing to read. */
  def isEmpty: Boolean = field.logicalType == LogicalType.Struct && field.children.isEmpty

  /** From the outermost field to the leaf itself. */
  def path: Vector[Field] = around :+ field

  /** The top-level field that the leaf belongs to. */
  def root: Field = path.head

  /** Rows of the column for each row of the top-level field: each item of a fixed-size list of structs is a
    * row.
    */
  def rowsPerRow: Int = {
    val rows = around.foldLeft(BigInt(1)) { (product, field) =>
      field.logicalType match {
        case LogicalType.FixedSizeList(_, size) => product * size
        case _ => product
      }
    }
    if (!rows.isValidInt)
      throw new UnsupportedLanceFeatureException(s"fixed-size lists of $rows structs (column '$name')")
    rows.toInt
  }

  /** Returns the leaf without its ancestors. */
  def alone: Leaf = Leaf(Vector.empty, field)

  /** Returns the top-level field with this leaf as its only leaf. */
  def only: Field = around.foldRight(field)((outer, inner) => outer.copy(children = Vector(inner)))

  def name: String = path.map(_.name).mkString(".")
}
