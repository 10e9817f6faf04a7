package io.sparklance.encoding.compression

import java.util.Arrays

import io.sparklance.data.{
  Column,
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  NestedBlock,
  ValueShape,
  VariableBlock
}

/** Facts about a page's values by which a writer chooses an encoding. */
private[sparklance] object BlockStats {

  /** Bytes of the longest value. */
  def longestValue(values: DataBlock, shape: ValueShape): Long = values match {
    case strings: VariableBlock =>
      var longest = 0
      var i = 0
      while (i < strings.length) {
        longest = math.max(longest, strings.offsets(i + 1) - strings.offsets(i))
        i += 1
      }
      longest.toLong
    case _: Fixed8Block | _: Fixed16Block | _: Fixed32Block | _: Fixed64Block | _: FixedBytesBlock |
        _: FixedSizeListBlock | _: NestedBlock =>
      ValueShape.minimumBytes(shape)
  }

  /** A valid row to which all valid rows are equal, if there is one. Floating-point numbers are compared by
    * their bits.
    */
  def constantRow(column: Column): Option[Int] = {
    val length = column.length
    var first = 0
    while (first < length && column.nulls.isNull(first)) first += 1
    var row = first + 1
    while (row < length && (column.nulls.isNull(row) || sameValue(column.values, first, row))) row += 1
    Option.when(first < length && row >= length)(first)
  }

  private def sameValue(values: DataBlock, a: Int, b: Int): Boolean = values match {
    case block: Fixed8Block => block.values(a) == block.values(b)
    case block: Fixed16Block => block.values(a) == block.values(b)
    case block: Fixed32Block => block.values(a) == block.values(b)
    case block: Fixed64Block => block.values(a) == block.values(b)
    case block: FixedBytesBlock => sameBytes(block.bytes, a * block.width, b * block.width, block.width)
    case block: VariableBlock =>
      val size = block.offsets(a + 1) - block.offsets(a)
      size == block.offsets(b + 1) - block.offsets(b) &&
      sameBytes(block.bytes, block.offsets(a), block.offsets(b), size)
    case block: FixedSizeListBlock =>
      (0 until block.dimension).forall { i =>
        val x = a * block.dimension + i
        val y = b * block.dimension + i
        val null_ = block.itemNulls.isNull(x)
        null_ == block.itemNulls.isNull(y) && (null_ || sameValue(block.items, x, y))
      }
    case _: NestedBlock => throw new IllegalArgumentException("structs and lists are written leaf by leaf")
  }

  private def sameBytes(bytes: Array[Byte], a: Int, b: Int, size: Int): Boolean =
    Arrays.equals(bytes, a, a + size, bytes, b, b + size)
}
