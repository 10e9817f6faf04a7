package io.sparklance.encoding.physical

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, ValueShape}

/** Checks that what an encoding says of its values agrees with the column that they are read for. */
private[encoding] object Widths {

  /** The width of the values of `shape`, which `bits` on disk must repeat. */
  def agreed(bits: Long, shape: ValueShape, encoding: => String): Int = shape match {
    case ValueShape.FixedWidth(expected) if bits == expected => expected
    case ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) =>
      throw new LanceFormatException(s"$encoding values of $bits bits in a column of $shape")
  }

  def mismatch(what: String, block: DataBlock): Nothing =
    throw new LanceFormatException(s"$what cannot be values of a ${block.getClass.getSimpleName}")
}
