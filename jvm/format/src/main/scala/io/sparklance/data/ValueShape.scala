package io.sparklance.data

/** The part of a column's type that encodings need: the width of its values, not their meaning. */
sealed private[sparklance] trait ValueShape

private[sparklance] object ValueShape {

  /** `bits` per value: 1 (booleans), or a multiple of 8. */
  final case class FixedWidth(bits: Int) extends ValueShape

  /** Byte strings; `offsetBits` (32 or 64) is the width of the offsets on disk. */
  final case class VariableWidth(offsetBits: Int) extends ValueShape

  /** `dimension` items per value. */
  final case class FixedSizeList(dimension: Int, items: ValueShape) extends ValueShape

  /** All fields of a packed struct, which is one column. */
  final case class Struct(fields: Vector[ValueShape]) extends ValueShape

  /** Minimum bytes of a value in memory. */
  def minimumBytes(shape: ValueShape): Long = shape match {
    case FixedWidth(bits) => (bits + 7L) / 8
    case VariableWidth(_) => 4
    case FixedSizeList(dimension, items) => Math.multiplyExact(dimension.toLong, minimumBytes(items))
    case Struct(fields) => fields.foldLeft(0L)((sum, field) => Math.addExact(sum, minimumBytes(field)))
  }

  /** Whether a value may take more than [[minimumBytes]]. */
  def isVariable(shape: ValueShape): Boolean = shape match {
    case FixedWidth(_) => false
    case VariableWidth(_) => true
    case FixedSizeList(_, items) => isVariable(items)
    case Struct(fields) => fields.exists(isVariable)
  }
}
