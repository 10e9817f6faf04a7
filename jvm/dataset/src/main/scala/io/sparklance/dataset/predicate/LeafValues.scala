package io.sparklance.dataset.predicate

import io.sparklance.data.{Column, DataBlock, NullMask, StructBlock}

/** A batch's values of a leaf, with its nulls and those of each struct around it. */
final private[sparklance] case class LeafValues(values: DataBlock, nulls: Vector[NullMask])

private[sparklance] object LeafValues {

  /** The values of a leaf's column, which may have structs around them. */
  def of(column: Column): LeafValues = column.values match {
    case structs: StructBlock =>
      val inside = of(structs.children.head)
      inside.copy(nulls = column.nulls +: inside.nulls)
    case values => LeafValues(values, Vector(column.nulls))
  }
}
