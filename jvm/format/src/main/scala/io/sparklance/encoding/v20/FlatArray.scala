package io.sparklance.encoding.v20

import io.sparklance.data.{ByteRange, DataBlock, Fixed8Block, NullMask, RowRange, Slice, ValueShape}
import io.sparklance.encoding.EncodedArray
import io.sparklance.encoding.physical.{BlockCodec, Flat, Widths}
import io.sparklance.proto.encodings20.ArrayEncoding.{ArrayEncoding => Encoding}
import io.sparklance.proto.encodings20.{ArrayEncoding, Buffer, Compression, Flat => FlatMessage}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Fixed-width values, back to back. Message `Flat`.
  *
  * {{{
  * multiples of 8 bits   | value 0 | value 1 | ...                  little-endian
  * booleans              bit i of the buffer (lowest first) is value i
  * compressed            the whole buffer as one zstd or LZ4 block; framing in BlockCodec
  * }}}
  * Bytes of a buffer after its last value are ignored.
  */
private[encoding] object FlatArray {

  /** Plans uncompressed values. */
  def stored(buffer: ByteRange, bits: Int): ArrayPlan = new StoredPlan(buffer, bits)

  private[v20] def plan(message: FlatMessage, buffers: PageBuffers, shape: ValueShape): ArrayPlan = {
    val bits = Widths.agreed(message.bitsPerValue, shape, "flat")
    val buffer = buffers(message.buffer)
    codec(message) match {
      case None => stored(buffer, bits)
      case Some(codec) => new CompressedPlan(buffer, codec, bits)
    }
  }

  /** @param bytes
    *   the bytes of all values
    * @param firstBuffer
    *   number of the array's first buffer in the page
    */
  private[v20] def encode(bytes: Slice, bits: Int, firstBuffer: Int): EncodedArray =
    encoded(bytes, bits, firstBuffer, compression = None)

  /** Encodes values compressed as a whole. */
  private[v20] def encode(bytes: Slice, bits: Int, firstBuffer: Int, codec: BlockCodec): EncodedArray =
    encoded(
      codec.compress(bytes.array, bytes.offset, bytes.length),
      bits,
      firstBuffer,
      Some(Compression(schemeOf(codec)))
    )

  private def encoded(
      buffer: Slice,
      bits: Int,
      firstBuffer: Int,
      compression: Option[Compression]
  ): EncodedArray = {
    val message = FlatMessage(bits.toLong, Some(Buffer(firstBuffer)), compression)
    EncodedArray(ArrayEncoding(Encoding.Flat(message)), Vector(buffer))
  }

  /** Returns the codec of a compression that metadata ask for, if it is supported. */
  private[v20] def codecNamed(scheme: String): Option[BlockCodec] = codecs.find(schemeOf(_) == scheme)

  private def codecs: Vector[BlockCodec] = Vector(BlockCodec.ZstdFrame, BlockCodec.Lz4)

  private def schemeOf(codec: BlockCodec): String = codec match {
    case BlockCodec.ZstdFrame => "zstd"
    case BlockCodec.Lz4 => "lz4"
  }

  /** Returns the whole bytes that hold the bits of `rows` in an array of flags. */
  private[v20] def flags(message: FlatMessage, buffers: PageBuffers, rows: RowRange): ByteRange = {
    if (message.bitsPerValue != 1)
      throw new LanceFormatException(s"a bitmap of ${message.bitsPerValue} bits for each row")
    if (codec(message).isDefined) throw new UnsupportedLanceFeatureException("a compressed bitmap of nulls")
    part(buffers(message.buffer), rows, 1)
  }

  private def codec(message: FlatMessage): Option[BlockCodec] = message.compression.map(_.scheme).flatMap {
    case "none" => None
    case other =>
      codecNamed(other).orElse(
        throw new UnsupportedLanceFeatureException(s"buffer compression \"${other.take(100)}\"")
      )
  }

  /** Returns the part of `buffer` that holds the values of `rows`. */
  private def part(buffer: ByteRange, rows: RowRange, bits: Int): ByteRange = {
    val from = Math.multiplyExact(rows.start, bits.toLong) / 8
    val to = Flat.sizeOf(rows.end, bits)
    if (rows.start < 0 || from > to || to > buffer.length)
      throw new LanceFormatException(
        s"rows [${rows.start}, ${rows.end}) of $bits bits are not in a buffer of ${buffer.length} bytes"
      )
    buffer.slice(from, to - from)
  }

  final private class StoredPlan(val buffer: ByteRange, bits: Int) extends ArrayPlan {
    def initRanges: Vector[ByteRange] = Vector.empty
    def reach(rows: RowRange): ByteRange = part(buffer, rows, bits)
    def open(init: Vector[Slice]): OpenArray = new OpenArray {
      def bytes(rows: RowRange): ByteRange = part(buffer, rows, bits)
      def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit =
        append(rows, bytes, bits, out, nulls)
      override def content(rows: RowRange, bytes: Slice): Slice = bytes
    }
  }

  final private class CompressedPlan(compressed: ByteRange, codec: BlockCodec, bits: Int) extends ArrayPlan {
    def initRanges: Vector[ByteRange] = Vector(compressed)
    def buffer: ByteRange = ArrayPlan.NoBytes
    def reach(rows: RowRange): ByteRange = ArrayPlan.NoBytes

    def open(init: Vector[Slice]): OpenArray = {
      val payload = codec.open(init.head, BlockCodec.MaxBytes)
      val all = new Array[Byte](payload.size)
      codec.decompress(payload, all, 0)
      new OpenArray {
        def bytes(rows: RowRange): ByteRange = ArrayPlan.NoBytes
        def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit =
          append(rows, content(rows, bytes), bits, out, nulls)
        override def content(rows: RowRange, bytes: Slice): Slice = {
          val where = part(ByteRange(0, all.length.toLong), rows, bits)
          Slice(all, where.offset.toInt, where.length.toInt)
        }
      }
    }
  }

  private def append(rows: RowRange, bytes: Slice, bits: Int, out: DataBlock, nulls: NullMask): Unit = {
    val count = Math.toIntExact(rows.length)
    val skipped = if (bits == 1) (rows.start % 8).toInt else 0
    if (skipped == 0) Flat.decompressor(bits).decompress(bytes, count, out)
    else {
      val flags = new Fixed8Block
      Flat.decompressor(1).decompress(bytes, skipped + count, flags)
      Words.append(flags, skipped, count, out)
    }
    nulls.appendValid(count)
  }
}
