package io.sparklance.encoding.physical

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, Slice, ValueShape}
import io.sparklance.encoding.{BlockDecompressor, MiniBlockChunk, MiniBlockCompressor, MiniBlockValues}
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.{CompressiveEncoding, InlineBitpacking => Message}

/** Up to 1024 words of T bits (8, 16, 32 or 64), bit-packed, with their width in front:
  *
  * {{{
  * | width W, one word of T bits, 0 <= W <= T | FastLanes group of 1024 values, 128 * W bytes |
  * }}}
  * Fewer than 1024 values, which occur only in the last chunk of a page, are padded with zeroes. Numbers are
  * unsigned: one negative value makes its group T bits wide.
  */
private[sparklance] object InlineBitpacking {

  def decompressor(message: Message, shape: ValueShape): BlockDecompressor = {
    if (message.values.isDefined)
      throw new LanceFormatException("bit-packed values with a buffer compression of their own")
    decompressor(Widths.agreedWord(message.uncompressedBitsPerValue, shape, "bit-packed"))
  }

  /** @param bits T */
  def decompressor(bits: Int): BlockDecompressor = (buffer, count, out) => {
    if (count > FastLanes.Group)
      throw new LanceFormatException(s"$count values in one bit-packed group")
    val header = bits / 8
    val width = widthIn(buffer, bits)
    if (width < 0 || width > bits)
      throw new LanceFormatException(s"values of $bits bits packed into $width")
    if (buffer.length != header + FastLanes.packedBytes(width))
      throw new LanceFormatException(s"${buffer.length} bytes for a group packed into $width bits")
    // The whole group is unpacked, and the surplus truncated.
    val at = Widths.fixed(out).extend(FastLanes.Group)
    FastLanes.unpack(width, buffer.array, buffer.offset + header, out, at)
    out.truncate(at + count)
  }

  private def widthIn(buffer: Slice, bits: Int): Int = bits match {
    case 8 => buffer.unsignedByte(0)
    case 16 => buffer.unsignedShort(0)
    case 32 => buffer.int(0)
    case 64 => math.max(-1L, math.min(buffer.long(0), 65L)).toInt
  }

  def encoding(bits: Int): CompressiveEncoding =
    CompressiveEncoding(Compression.InlineBitpacking(Message(uncompressedBitsPerValue = bits.toLong)))

  def compressor(bits: Int): MiniBlockCompressor = values => {
    val chunks = groups(values).map { case (from, count) =>
      MiniBlockChunk(count, Vector(pack(values, bits, from, count)))
    }
    MiniBlockValues(chunks, encoding(bits))
  }

  /** Returns the packed size of `values` in bytes. */
  def packedSize(values: DataBlock, bits: Int): Long = groups(values).map { case (from, count) =>
    bits / 8 + FastLanes.packedBytes(FastLanes.widthOf(values, from, count)).toLong
  }.sum

  private def groups(values: DataBlock): Vector[(Int, Int)] = (0 until values.length by FastLanes.Group).map {
    from =>
      (from, math.min(FastLanes.Group, values.length - from))
  }.toVector

  private def pack(values: DataBlock, bits: Int, from: Int, count: Int): Slice = {
    val header = bits / 8
    val width = FastLanes.widthOf(values, from, count)
    val target = new Array[Byte](header + FastLanes.packedBytes(width))
    target(0) = width.toByte
    FastLanes.pack(width, values, from, count, target, header)
    Slice(target)
  }
}
