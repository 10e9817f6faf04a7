package io.sparklance.encoding.physical

import java.nio.{ByteBuffer, ByteOrder}

import io.sparklance.LanceFormatException
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
import io.sparklance.encoding.{
  BlockCompressor,
  BlockDecompressor,
  BlockValues,
  FixedValues,
  FixedValuesDecompressor,
  MiniBlockChunk,
  MiniBlockCompressor,
  MiniBlockValues
}
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.{CompressiveEncoding, Flat => FlatMessage}

/** Plain values, back to back.
  *
  * {{{
  * multiples of 8 bits   | value 0 | value 1 | ...                  little-endian
  * booleans              bit i of the buffer (lowest first) is value i
  * }}}
  *
  * The buffer is exactly as long as its values need. In a mini-block page each chunk is a buffer of its own.
  */
private[sparklance] object Flat {

  def decompressor(message: FlatMessage, shape: ValueShape): BlockDecompressor = {
    if (message.data.isDefined)
      throw new LanceFormatException("flat values with a buffer compression of their own")
    decompressor(Widths.agreed(message.bitsPerValue, shape, "flat"))
  }

  /** @param bits 1, or a multiple of 8 */
  def decompressor(bits: Int): BlockDecompressor = (buffer, count, out) => {
    val size = sizeOf(count.toLong, bits)
    if (buffer.length != size)
      throw new LanceFormatException(s"$count flat values of $bits bits in ${buffer.length} bytes, not $size")
    if (bits == 1) unpackBits(buffer, count, out) else append(buffer, count, out)
  }

  /** Bytes of `count` values. */
  def sizeOf(count: Long, bits: Int): Long = Math.addExact(Math.multiplyExact(count, bits.toLong), 7L) / 8

  private def unpackBits(buffer: Slice, count: Int, out: DataBlock): Unit = out match {
    case block: Fixed8Block =>
      // Whole groups of 8 are written; the surplus is truncated afterwards.
      val at = block.extend(Math.multiplyExact(buffer.length, 8))
      spreadBits(buffer.array, buffer.offset, buffer.length, block.values, at)
      block.truncate(at + count)
    case _: Fixed16Block | _: Fixed32Block | _: Fixed64Block | _: FixedBytesBlock | _: VariableBlock |
        _: FixedSizeListBlock | _: NestedBlock =>
      Widths.mismatch("bits", out)
  }

  /** Expands each bit of `in[from, from + n)` to a byte of 0 or 1. */
  private def spreadBits(in: Array[Byte], from: Int, n: Int, out: Array[Byte], at: Int): Unit = {
    var i = 0
    while (i < n) {
      // Eight copies of the byte, of which the k-th keeps bit k; adding 0x7f carries that bit, if set, up to
      // bit 7.
      val kept = (in(from + i) & 0xffL) * 0x0101010101010101L & 0x8040201008040201L
      val spread = (kept + 0x7f7f7f7f7f7f7f7fL) >>> 7 & 0x0101010101010101L
      LittleEndian.LONG.set(out, at + 8 * i, spread)
      i += 1
    }
  }

  /** Appends `count` values of whole bytes, all of which are in `buffer`. */
  private[physical] def append(buffer: Slice, count: Int, out: DataBlock): Unit = {
    def source: ByteBuffer =
      ByteBuffer.wrap(buffer.array, buffer.offset, buffer.length).order(ByteOrder.LITTLE_ENDIAN)
    // The block may get new arrays here.
    val at = Widths.fixed(out).extend(count)
    out match {
      case block: Fixed8Block => System.arraycopy(buffer.array, buffer.offset, block.values, at, count)
      case block: Fixed16Block => source.asShortBuffer.get(block.values, at, count); ()
      case block: Fixed32Block => source.asIntBuffer.get(block.values, at, count); ()
      case block: Fixed64Block => source.asLongBuffer.get(block.values, at, count); ()
      case block: FixedBytesBlock =>
        System.arraycopy(buffer.array, buffer.offset, block.bytes, at * block.width, count * block.width)
      case _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock => Widths.mismatch("flat values", out)
    }
  }

  /** Returns the values `[from, from + count)` as a buffer. */
  def bytes(values: DataBlock, bits: Int, from: Int, count: Int): Slice = {
    val target = new Array[Byte](Math.toIntExact(sizeOf(count.toLong, bits)))
    def buffer: ByteBuffer = ByteBuffer.wrap(target).order(ByteOrder.LITTLE_ENDIAN)
    values match {
      case block: Fixed8Block if bits == 1 => packBits(block.values, from, count, target)
      case block: Fixed8Block => System.arraycopy(block.values, from, target, 0, count)
      case block: Fixed16Block => buffer.asShortBuffer.put(block.values, from, count); ()
      case block: Fixed32Block => buffer.asIntBuffer.put(block.values, from, count); ()
      case block: Fixed64Block => buffer.asLongBuffer.put(block.values, from, count); ()
      case block: FixedBytesBlock =>
        System.arraycopy(block.bytes, from * block.width, target, 0, target.length)
      case _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock => Widths.mismatch("flat values", values)
    }
    Slice(target)
  }

  private def packBits(in: Array[Byte], from: Int, count: Int, out: Array[Byte]): Unit = {
    var i = 0
    while (i < count) {
      out(i >> 3) = (out(i >> 3) | (in(from + i) & 1) << (i & 7)).toByte
      i += 1
    }
  }

  def encoding(bits: Int): CompressiveEncoding =
    CompressiveEncoding(Compression.Flat(FlatMessage(bitsPerValue = bits.toLong)))

  /** Returns the decoder for full-zip pages, where a boolean takes a byte. */
  def fixedValues(message: FlatMessage, shape: ValueShape): FixedValuesDecompressor = shape match {
    case ValueShape.FixedWidth(1) if message.bitsPerValue == 8 => wholeBytes(1, checkBooleans(_, _))
    case _ => wholeBytes(Widths.agreed(message.bitsPerValue, shape, "flat") / 8, (_, _) => ())
  }

  private def wholeBytes(width: Int, check: (DataBlock, Int) => Unit): FixedValuesDecompressor =
    new FixedValuesDecompressor {
      val bytesPerValue: Int = width
      def decompress(bytes: Array[Byte], from: Int, count: Int, out: DataBlock): Unit = {
        append(Slice(bytes, from, count * width), count, out)
        check(out, count)
      }
    }

  private def checkBooleans(out: DataBlock, count: Int): Unit = out match {
    case block: Fixed8Block =>
      var seen = 0
      var i = block.length - count
      while (i < block.length) { seen |= block.values(i); i += 1 }
      if ((seen & ~1) != 0) throw new LanceFormatException("a boolean other than 0 and 1")
    case _: Fixed16Block | _: Fixed32Block | _: Fixed64Block | _: FixedBytesBlock | _: VariableBlock |
        _: FixedSizeListBlock | _: NestedBlock =>
      Widths.mismatch("booleans", out)
  }

  def toFixedValues(values: DataBlock, bits: Int): FixedValues = {
    val whole = math.max(8, bits)
    FixedValues(bytes(values, whole, 0, values.length), whole / 8, encoding(whole))
  }

  def blockCompressor(bits: Int): BlockCompressor = values =>
    BlockValues(bytes(values, bits, 0, values.length), encoding(bits))

  /** Chunks of as many values (a power of two, at most 4096) as fit into 8 KiB with the chunk's header and
    * levels.
    */
  def compressor(bits: Int, chunkBytes: Int = ChunkBytes): MiniBlockCompressor = values => {
    val perChunk = chunkValues(bits, chunkBytes)
    val chunks = (0 until values.length by perChunk).map { from =>
      val count = math.min(perChunk, values.length - from)
      MiniBlockChunk(count, Vector(bytes(values, bits, from, count)))
    }
    MiniBlockValues(chunks.toVector, encoding(bits))
  }

  private[encoding] def chunkValues(bitsPerValue: Int, chunkBytes: Int = ChunkBytes): Int =
    Iterator.iterate(4096)(_ / 2).dropWhile(n => n > 2 && sizeOf(n.toLong, bitsPerValue) > chunkBytes).next()

  final private[encoding] val ChunkBytes = 8185
}
