package io.sparklance.encoding.physical

import io.sparklance.LanceFormatException
import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBlock,
  FixedBytesBlock,
  FixedSizeListBlock,
  NestedBlock,
  ValueShape,
  VariableBlock
}

/** Checks that an encoding's widths agree with the column's type. */
private[encoding] object Widths {

  /** Returns the width of the values of `shape`. Fails if `bits` on disk differs. */
  def agreed(bits: Long, shape: ValueShape, encoding: => String): Int = shape match {
    case ValueShape.FixedWidth(expected) if bits == expected => expected
    case ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) |
        ValueShape.Struct(_) =>
      throw new LanceFormatException(s"$encoding values of $bits bits in a column of $shape")
  }

  /** Returns the width of machine words. Fails if `bits` on disk differs. */
  def agreedWord(bits: Long, shape: ValueShape, encoding: => String): Int =
    word(agreed(bits, shape, encoding).toLong)

  /** Returns `bits`. Fails unless it is the width of an integer type. */
  def word(bits: Long): Int =
    if (bits == 8 || bits == 16 || bits == 32 || bits == 64) bits.toInt
    else throw new LanceFormatException(s"words of $bits bits")

  /** Returns `block` as a fixed-width block. Fails if it is another kind. */
  def fixed(block: DataBlock): FixedBlock = block match {
    case fixed: FixedBlock => fixed
    case _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
      mismatch("values of a fixed width", block)
  }

  def mismatch(what: String, block: DataBlock): Nothing =
    throw new LanceFormatException(s"$what cannot be values of a ${block.getClass.getSimpleName}")

  /** Copies the words `[from, from + count)` to the start of `out` as unsigned numbers. Returns their width
    * in bits.
    */
  def widen(values: DataBlock, from: Int, count: Int, out: Array[Long]): Int = {
    var i = 0
    values match {
      case block: Fixed8Block =>
        while (i < count) { out(i) = block.values(from + i) & 0xff; i += 1 }
        8
      case block: Fixed16Block =>
        while (i < count) { out(i) = block.values(from + i) & 0xffff; i += 1 }
        16
      case block: Fixed32Block =>
        while (i < count) { out(i) = block.values(from + i) & 0xffffffffL; i += 1 }
        32
      case block: Fixed64Block =>
        System.arraycopy(block.values, from, out, 0, count)
        64
      case _: FixedBytesBlock | _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
        mismatch("words", values)
    }
  }
}
