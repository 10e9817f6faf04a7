package io.sparklance.encoding.structural

import java.util.Arrays

import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  LittleEndian,
  Slice,
  ValueShape,
  VariableBlock
}
import io.sparklance.encoding.physical.{Flat, Widths}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** The value of a constant page.
  *
  * {{{
  * in the message   a fixed width value of at most 32 bytes, little-endian; a boolean as one byte of 0 or 1
  * in a buffer      | u32 number of parts | u32 bytes of each part | parts |
  *                  one part for a fixed width value; for byte strings two: offsets 0 and length (u32 or u64), bytes
  * }}}
  */
private[structural] object ConstantValue {
  final private val MaxInlineBytes = 32

  /** Parses an inline value as a block of one value. */
  def parseInline(bytes: Slice, shape: ValueShape): DataBlock = shape match {
    case ValueShape.FixedWidth(bits) => fixed(bytes, bits, shape)
    case ValueShape.VariableWidth(_) =>
      throw new LanceFormatException("a byte string as inline value of a page")
    case ValueShape.FixedSizeList(_, _) => refuse("a fixed-size list")
    case ValueShape.Struct(_) => refuse("a packed struct")
  }

  def parseBuffer(bytes: Slice, shape: ValueShape): DataBlock = shape match {
    case ValueShape.FixedWidth(bits) => fixed(parts(bytes, 1)(0), bits, shape)
    case ValueShape.VariableWidth(offsetBits) =>
      val both = parts(bytes, 2)
      val (offsets, data) = (both(0), both(1))
      if (offsets.length < offsetBits / 4)
        throw new LanceFormatException("a constant byte string without offsets")
      val start = if (offsetBits == 32) offsets.unsignedInt(0) else offsets.long(0)
      val end = if (offsetBits == 32) offsets.unsignedInt(4) else offsets.long(8)
      val value = data.slice(start, end - start, "the value of a constant page")
      val block = new VariableBlock
      block.append(value.array, value.offset, value.length)
      block
    case ValueShape.FixedSizeList(_, _) => refuse("a fixed-size list")
    case ValueShape.Struct(_) => refuse("a packed struct")
  }

  private def fixed(bytes: Slice, bits: Int, shape: ValueShape): DataBlock = {
    val block = DataBlock.forShape(shape)
    // A boolean takes a byte, whose lowest bit is then its value.
    Flat.decompressor(bits).decompress(bytes, 1, block)
    if (bits == 1 && (bytes.unsignedByte(0) & ~1) != 0)
      throw new LanceFormatException(s"a constant boolean of ${bytes.unsignedByte(0)}")
    block
  }

  private def parts(bytes: Slice, expected: Int): Seq[Slice] = {
    if (bytes.unsignedInt(0) != expected)
      throw new LanceFormatException(s"a constant of ${bytes.unsignedInt(0)} parts, not $expected")
    val sizes = (1 to expected).map(i => bytes.unsignedInt(4 * i))
    val starts = sizes.scanLeft(4L * (expected + 1))(_ + _)
    sizes.zip(starts).map { case (size, start) => bytes.slice(start, size, "a part of a constant") }
  }

  /** Appends `count` copies of the single value of `value` to a block of the same kind. */
  def repeat(value: DataBlock, count: Int, out: DataBlock): Unit = (value, out) match {
    case (one: Fixed8Block, block: Fixed8Block) =>
      val at = block.extend(count)
      Arrays.fill(block.values, at, at + count, one.values(0))
    case (one: Fixed16Block, block: Fixed16Block) =>
      val at = block.extend(count)
      Arrays.fill(block.values, at, at + count, one.values(0))
    case (one: Fixed32Block, block: Fixed32Block) =>
      val at = block.extend(count)
      Arrays.fill(block.values, at, at + count, one.values(0))
    case (one: Fixed64Block, block: Fixed64Block) =>
      val at = block.extend(count)
      Arrays.fill(block.values, at, at + count, one.values(0))
    case (one: FixedBytesBlock, block: FixedBytesBlock) =>
      val at = block.extend(count)
      var i = at
      while (i < at + count) {
        System.arraycopy(one.bytes, 0, block.bytes, i * block.width, block.width); i += 1
      }
    case (one: VariableBlock, block: VariableBlock) =>
      block.reserve(count, Math.multiplyExact(one.byteLength, count))
      var i = 0
      while (i < count) { block.append(one.bytes, 0, one.byteLength); i += 1 }
    case _ => Widths.mismatch("a constant", out)
  }

  /** Returns the value's bytes for the message, if it may be inline. */
  def inline(values: DataBlock, index: Int, shape: ValueShape): Option[Slice] = shape match {
    case ValueShape.FixedWidth(bits) if bits <= 8 * MaxInlineBytes => Some(Flat.bytes(values, bits, index, 1))
    case ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_) => None
    case ValueShape.FixedSizeList(_, _) => refuse("a fixed-size list")
    case ValueShape.Struct(_) => refuse("a packed struct")
  }

  def buffer(values: DataBlock, index: Int, shape: ValueShape): Slice = (shape, values) match {
    case (ValueShape.FixedWidth(bits), _) => join(Vector(Flat.bytes(values, bits, index, 1)))
    case (ValueShape.VariableWidth(offsetBits), strings: VariableBlock) =>
      val start = strings.offsets(index)
      val size = strings.offsets(index + 1) - start
      val offsets = new Array[Byte](offsetBits / 4)
      LittleEndian.putInt(offsets, offsetBits / 8, size)
      join(Vector(Slice(offsets), Slice(strings.bytes, start, size)))
    case (ValueShape.VariableWidth(_), _) => Widths.mismatch("byte strings", values)
    case (ValueShape.FixedSizeList(_, _), _) => refuse("a fixed-size list")
    case (ValueShape.Struct(_), _) => refuse("a packed struct")
  }

  private def join(parts: Vector[Slice]): Slice = {
    val header = 4 * (parts.length + 1)
    val bytes = new Array[Byte](header + parts.map(_.length).sum)
    LittleEndian.putInt(bytes, 0, parts.length)
    parts.zipWithIndex.foreach { case (part, i) => LittleEndian.putInt(bytes, 4 * (i + 1), part.length) }
    parts.zip(parts.scanLeft(header)(_ + _.length)).foreach { case (part, at) =>
      System.arraycopy(part.array, part.offset, bytes, at, part.length)
    }
    Slice(bytes)
  }

  private def refuse(kind: String): Nothing =
    throw new UnsupportedLanceFeatureException(s"$kind as the value of a constant page")
}
