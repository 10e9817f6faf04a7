package io.sparklance.schema

/** A field that files store as a column of its own, and the fields around it.
  *
  * @param around structs, lists and maps, outermost first; each is the parent of the next
  */
final case class Leaf(around: Vector[Field], field: Field) {

  /** From the outermost field to the leaf itself. */
  def path: Vector[Field] = around :+ field

  /** The top-level field that the leaf belongs to. */
  def root: Field = path.head

  def name: String = path.map(_.name).mkString(".")
}
