package io.sparklance.vector

import io.sparklance.schema.{Field, LogicalType}

/** A column of vectors.
  *
  * @param isMulti
  *   whether each row has a list of vectors
  */
final private[sparklance] case class VectorColumn(
    field: Field,
    item: VectorItem,
    dimension: Int,
    isMulti: Boolean
) {

  /** Bytes of a vector. */
  def width: Long = dimension.toLong * item.bytes

  /** The vectors of the lists, if rows have lists of vectors. */
  def single: VectorColumn = if (isMulti) copy(field = field.children.head, isMulti = false) else this
}

private[sparklance] object VectorColumn {

  /** Returns the column of a top-level field, if it has vectors. */
  def of(field: Field): Option[VectorColumn] = field.logicalType match {
    case LogicalType.FixedSizeList(item, dimension) =>
      VectorItem.of(item).map(VectorColumn(field, _, dimension, isMulti = false))
    case _: LogicalType.List => field.children match {
        case Vector(child) => of(child).filterNot(_.isMulti).map(_.copy(field = field, isMulti = true))
        case _ => None
      }
    case _ => None
  }
}
