package io.sparklance.encoding.physical

import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  LittleEndian,
  NestedBlock,
  Slice,
  ValueShape,
  VariableBlock
}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Fixed-width values at a stride: one field of rows that are stored back to back.
  *
  * {{{
  * | a | b   | c | a | b   | c | ...      field b: from = width of a, stride = widths of a, b and c
  * }}}
  */
private[encoding] object StridedValues {

  /** Returns the bytes of a value, possibly 0. Booleans are refused: they do not fill a byte, and no software
    * writes them.
    */
  def widthOf(shape: ValueShape): Int = {
    val bytes = shape match {
      case ValueShape.FixedWidth(bits) if bits % 8 == 0 => bits / 8L
      case ValueShape.FixedWidth(_) =>
        throw new UnsupportedLanceFeatureException("booleans in packed structs")
      case ValueShape.FixedSizeList(dimension, items) =>
        Math.multiplyExact(dimension.toLong, widthOf(items).toLong)
      case ValueShape.Struct(_) =>
        throw new UnsupportedLanceFeatureException("packed structs in packed structs of one width")
      case ValueShape.VariableWidth(_) =>
        throw new LanceFormatException(s"values of $shape in a packed struct of one width")
    }
    if (bytes > Int.MaxValue / 2)
      throw new UnsupportedLanceFeatureException("packed structs of more than a gigabyte")
    bytes.toInt
  }

  /** Appends `count` values, the first at `from` and each following one `stride` bytes later. The caller has
    * checked that they exist.
    */
  def append(bytes: Array[Byte], from: Int, stride: Int, count: Int, out: DataBlock): Unit = {
    var at = from
    var i = 0
    out match {
      case block: Fixed8Block =>
        i = block.extend(count)
        while (i < block.length) { block.values(i) = bytes(at); i += 1; at += stride }
      case block: Fixed16Block =>
        i = block.extend(count)
        while (i < block.length) { block.values(i) = LittleEndian.short(bytes, at); i += 1; at += stride }
      case block: Fixed32Block =>
        i = block.extend(count)
        while (i < block.length) { block.values(i) = LittleEndian.int(bytes, at); i += 1; at += stride }
      case block: Fixed64Block =>
        i = block.extend(count)
        while (i < block.length) { block.values(i) = LittleEndian.long(bytes, at); i += 1; at += stride }
      case block: FixedBytesBlock =>
        i = block.extend(count)
        while (i < block.length) {
          System.arraycopy(bytes, at, block.bytes, i * block.width, block.width)
          i += 1
          at += stride
        }
      case lists: FixedSizeListBlock =>
        val width = bytesOf(lists.items)
        while (i < count) { append(bytes, at, width, lists.dimension, lists.items); i += 1; at += stride }
        lists.advance(count)
      case _: VariableBlock | _: NestedBlock => Widths.mismatch("fields of one width", out)
    }
  }

  /** Writes all values, the first to `from` and each following one `stride` bytes later. [[append]] is the
    * inverse.
    */
  def write(values: DataBlock, out: Array[Byte], from: Int, stride: Int): Unit = {
    val count = values.length
    var at = from
    var i = 0
    values match {
      case block: Fixed8Block =>
        while (i < count) { out(at) = block.values(i); i += 1; at += stride }
      case block: Fixed16Block =>
        while (i < count) { LittleEndian.putShort(out, at, block.values(i)); i += 1; at += stride }
      case block: Fixed32Block =>
        while (i < count) { LittleEndian.putInt(out, at, block.values(i)); i += 1; at += stride }
      case block: Fixed64Block =>
        while (i < count) { LittleEndian.putLong(out, at, block.values(i)); i += 1; at += stride }
      case block: FixedBytesBlock => writeBytes(Slice(block.bytes), block.width, count, out, from, stride)
      case lists: FixedSizeListBlock =>
        val width = bytesOf(lists)
        val items = new Array[Byte](Math.multiplyExact(count, width))
        write(lists.items, items, 0, bytesOf(lists.items))
        writeBytes(Slice(items), width, count, out, from, stride)
      case _: VariableBlock | _: NestedBlock => Widths.mismatch("fields of one width", values)
    }
  }

  /** Writes values of `width` bytes from a back-to-back buffer. */
  def writeBytes(values: Slice, width: Int, count: Int, out: Array[Byte], from: Int, stride: Int): Unit = {
    var i = 0
    while (i < count) {
      System.arraycopy(values.array, values.offset + i * width, out, from + i * stride, width)
      i += 1
    }
  }

  private def bytesOf(block: DataBlock): Int = block match {
    case _: Fixed8Block => 1
    case _: Fixed16Block => 2
    case _: Fixed32Block => 4
    case _: Fixed64Block => 8
    case fixed: FixedBytesBlock => fixed.width
    case lists: FixedSizeListBlock => lists.dimension * bytesOf(lists.items)
    case _: VariableBlock | _: NestedBlock => Widths.mismatch("fields of one width", block)
  }
}
