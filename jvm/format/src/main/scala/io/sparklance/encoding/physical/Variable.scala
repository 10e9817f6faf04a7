package io.sparklance.encoding.physical

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, LittleEndian, Slice, VariableBlock}
import io.sparklance.encoding.{
  BlockCompressor,
  BlockDecompressor,
  BlockValues,
  MiniBlockChunk,
  MiniBlockCompressor,
  MiniBlockDecompressor,
  MiniBlockValues,
  PerValueCompressor,
  PerValueDecompressor,
  PerValueStrings
}
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.{encodings => proto}

/** Byte strings: n + 1 offsets of w bytes (w is 4 or 8), and the bytes between them. Message `Variable`.
  *
  * {{{
  * mini-block chunk   offset[0] = (n+1)w | .. | offset[n] | bytes | padding to w      offsets count from the chunk's start
  * block              u32 32 | u32 start = 8 + (n+1)4  | offset[0] = 0 | .. | offset[n] | bytes    (w = 4)
  *                    u64 64 | u64 start = 16 + (n+1)8 | ..                                        (w = 8)
  * block, old header  u8 8w | n of w bytes | start of w bytes | offset[0] = 0 | ..
  * full-zip           the bytes alone; the page holds the lengths
  * }}}
  *
  * Padding is part of a chunk's buffer; pylance refuses a buffer whose size is not a multiple of w.
  */
private[sparklance] object Variable {

  /** Default limit of a chunk's bytes, including offsets; two values may exceed it. */
  final val ChunkBytes = 4096
  private val ChunkValues = 4096

  def encoding(offsetBits: Int): proto.CompressiveEncoding = {
    val flat = proto.CompressiveEncoding(Compression.Flat(proto.Flat(offsetBits.toLong)))
    proto.CompressiveEncoding(Compression.Variable(proto.Variable(offsets = Some(flat))))
  }

  def miniBlock(offsetBits: Int): MiniBlockDecompressor = {
    Offsets.require(offsetBits)
    MiniBlockDecompressor.ofOneBuffer { (buffer, count, out) =>
      val offsets = chunkOffsets(buffer, count, offsetBits)
      val from = (count + 1L) * (offsetBits / 8)
      val size = offsets.sizeWithin(from, buffer.length.toLong)
      append(offsets, count, buffer.array, buffer.offset + offsets.first.toInt, size, asVariable(out))
    }
  }

  def block(offsetBits: Int): BlockDecompressor = {
    Offsets.require(offsetBits)
    (buffer, count, out) => {
      val (header, start) = readHeader(buffer, count, offsetBits)
      val offsetBytes = (count + 1L) * (offsetBits / 8)
      if (start != header + offsetBytes || start > buffer.length)
        throw new LanceFormatException(
          s"a block of $count strings cannot have its bytes at $start of ${buffer.length}"
        )
      val offsets = new Offsets(buffer.array, buffer.offset + header, count, offsetBits)
      val size = offsets.sizeWithin(0, buffer.length - start)
      if (offsets.first != 0)
        throw new LanceFormatException(s"a block of strings starts at ${offsets.first}, not 0")
      append(offsets, count, buffer.array, buffer.offset + start.toInt, size, asVariable(out))
    }
  }

  val perValue: PerValueDecompressor = (bytes, from, size, out) => asVariable(out).append(bytes, from, size)

  def perValueCompressor(offsetBits: Int): PerValueCompressor = PerValueStrings(_, encoding(offsetBits))

  def compressor(offsetBits: Int, chunkBytes: Int = ChunkBytes): MiniBlockCompressor = values => {
    val strings = asVariable(values)
    val width = offsetBits / 8
    val chunks = Vector.unfold(0) { from =>
      Option.when(from < strings.length) {
        val end = chunkEnd(strings, from, width, chunkBytes)
        (MiniBlockChunk(end - from, Vector(encodeChunk(strings, from, end, width))), end)
      }
    }
    MiniBlockValues(chunks, encoding(offsetBits))
  }

  def blockCompressor(offsetBits: Int): BlockCompressor = values => {
    val strings = asVariable(values)
    val width = offsetBits / 8
    val start = 2 * width + (strings.length + 1) * width
    val out = new Array[Byte](Math.addExact(start, strings.byteLength))
    put(out, 0, width, offsetBits)
    put(out, width, width, start)
    writeOffsets(strings, 0, strings.length, 0, width, out, 2 * width)
    System.arraycopy(strings.bytes, 0, out, start, strings.byteLength)
    BlockValues(Slice(out), encoding(offsetBits))
  }

  private[encoding] def asVariable(block: DataBlock): VariableBlock = block match {
    case strings: VariableBlock => strings
    case other =>
      throw new LanceFormatException(
        s"values of varying width meet a column of ${other.getClass.getSimpleName}"
      )
  }

  /** Returns the offsets at the start of a chunk. Fails if it has no room for them. */
  private[physical] def chunkOffsets(buffer: Slice, count: Int, offsetBits: Int): Offsets = {
    if ((count + 1L) * (offsetBits / 8) > buffer.length)
      throw new LanceFormatException(s"a chunk of ${buffer.length} bytes cannot hold $count offsets")
    new Offsets(buffer.array, buffer.offset, count, offsetBits)
  }

  private def append(
      offsets: Offsets,
      count: Int,
      bytes: Array[Byte],
      from: Int,
      size: Int,
      out: VariableBlock
  ): Unit = {
    out.reserve(count, size)
    offsets.load(out.byteLength - offsets.first.toInt, out.offsets, out.length + 1)
    System.arraycopy(bytes, from, out.bytes, out.byteLength, size)
    out.advance(count)
  }

  /** Returns the size of a block's header, and the position of its bytes. */
  private def readHeader(buffer: Slice, count: Int, offsetBits: Int): (Int, Long) = {
    val width = offsetBits / 8
    // The old header has the number of values here, with some bit set for less than 2^24 values.
    val isOld = (buffer.int(0) & 0xffffff00) != 0
    val at = if (isOld) 1 else 0
    val bits = buffer.unsignedByte(0)
    if (bits != offsetBits)
      throw new LanceFormatException(s"a block of strings has offsets of $bits bits, not $offsetBits")
    if (isOld && get(buffer, 1, width) != count)
      throw new LanceFormatException(s"a block of $count strings claims to hold ${get(buffer, 1, width)}")
    (at + 2 * width, get(buffer, at + width, width))
  }

  private def get(buffer: Slice, at: Int, width: Int): Long =
    if (width == 4) buffer.unsignedInt(at) else buffer.long(at)

  /** Returns the end of a chunk that starts at value `from`: all remaining values if they fit, otherwise the
    * largest power of two that fits.
    */
  private def chunkEnd(strings: VariableBlock, from: Int, width: Int, chunkBytes: Int): Int = {
    def fits(n: Int): Boolean = n <= ChunkValues && from + n <= strings.length &&
      strings.offsets(from + n) - strings.offsets(from) + (n + 1L) * width <= chunkBytes
    val rest = strings.length - from
    if (rest <= 2 || fits(rest)) strings.length
    else {
      var n = 2
      while (fits(2 * n)) n *= 2
      from + n
    }
  }

  private def encodeChunk(strings: VariableBlock, from: Int, end: Int, width: Int): Slice = {
    val start = (end - from + 1) * width
    val size = strings.offsets(end) - strings.offsets(from)
    val padded = Math.addExact(start, size + width - 1) / width * width
    val out = new Array[Byte](padded)
    writeOffsets(strings, from, end, start, width, out, 0)
    System.arraycopy(strings.bytes, strings.offsets(from), out, start, size)
    Slice(out)
  }

  private def writeOffsets(
      strings: VariableBlock,
      from: Int,
      end: Int,
      first: Int,
      width: Int,
      out: Array[Byte],
      at: Int
  ): Unit = {
    val shift = first - strings.offsets(from)
    var i = from
    while (i <= end) {
      put(out, at + (i - from) * width, width, strings.offsets(i) + shift)
      i += 1
    }
  }

  private def put(out: Array[Byte], at: Int, width: Int, value: Int): Unit =
    if (width == 4) LittleEndian.putInt(out, at, value) else LittleEndian.putLong(out, at, value.toLong)
}
