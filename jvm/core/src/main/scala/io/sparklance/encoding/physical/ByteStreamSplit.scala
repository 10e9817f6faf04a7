package io.sparklance.encoding.physical

import io.sparklance.data.{
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
import io.sparklance.encoding.BlockDecompressor
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.{ByteStreamSplit => Message}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** The bytes of floating point numbers, of 32 or 64 bits, sorted by their place in the number, so that a general
  * compression around it finds the exponents next to each other:
  *
  * {{{
  * | byte 0 of each value | byte 1 of each value | ...
  * }}}
  * Read only: our writer does not choose it.
  */
object ByteStreamSplit {

  def decompressor(message: Message, shape: ValueShape): BlockDecompressor =
    message.getValues.compression match {
      case Compression.Flat(flat) =>
        decompressor(Widths.agreed(flat.bitsPerValue, shape, "byte stream split"))
      case _ => throw new UnsupportedLanceFeatureException("byte stream split of compressed values")
    }

  def decompressor(bits: Int): BlockDecompressor = (buffer, count, out) => {
    if (buffer.length != Flat.sizeOf(count.toLong, bits))
      throw new LanceFormatException(s"$count values of $bits bits split over ${buffer.length} bytes")
    val at = Widths.fixed(out).extend(count)
    out match {
      case block: Fixed32Block => join32(buffer.array, buffer.offset, count, block.values, at)
      case block: Fixed64Block => join64(buffer.array, buffer.offset, count, block.values, at)
      case _: Fixed8Block | _: Fixed16Block | _: FixedBytesBlock | _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
        Widths.mismatch("split bytes", out)
    }
  }

  private def join32(in: Array[Byte], from: Int, count: Int, out: Array[Int], at: Int): Unit = {
    var i = 0
    while (i < count) {
      out(at + i) = in(from + i) & 0xff | (in(from + count + i) & 0xff) << 8 |
        (in(from + 2 * count + i) & 0xff) << 16 | in(from + 3 * count + i) << 24
      i += 1
    }
  }

  private def join64(in: Array[Byte], from: Int, count: Int, out: Array[Long], at: Int): Unit = {
    var place = 0
    while (place < 8) {
      val start = from + place * count
      val shift = 8 * place
      var i = 0
      while (i < count) {
        val byte = (in(start + i) & 0xffL) << shift
        out(at + i) = if (place == 0) byte else out(at + i) | byte
        i += 1
      }
      place += 1
    }
  }
}
