package io.sparklance.encoding.v20

import java.util.Arrays

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, DataBlock, LittleEndian, NullMask, RowRange, Slice, ValueShape}
import io.sparklance.encoding.EncodedArray
import io.sparklance.encoding.physical.{FastLanes, Flat, Widths}
import io.sparklance.proto.encodings20.ArrayEncoding.{ArrayEncoding => Encoding}
import io.sparklance.proto.encodings20.{ArrayEncoding, Bitpacked, Buffer}

/** Words of T bits with only the lowest W stored, as releases of pylance wrote them up to 0.17. Message
  * `Bitpacked`.
  *
  * {{{
  * bits [i * W, (i + 1) * W) of the buffer, lowest first, are value i
  * }}}
  * If `signed` is set, the highest stored bit is sign-extended.
  */
private[v20] object BitpackedArray {

  def plan(message: Bitpacked, buffers: PageBuffers, shape: ValueShape): ArrayPlan = {
    val bits = Widths.agreedWord(message.uncompressedBitsPerValue, shape, "bit-packed")
    val width = widthOf(message.compressedBitsPerValue, bits)
    val values = buffers(message.buffer)
    new ArrayPlan {
      def initRanges: Vector[ByteRange] = Vector.empty
      def buffer: ByteRange = values
      def reach(rows: RowRange): ByteRange = part(values, rows, width)
      def open(init: Vector[Slice]): OpenArray = new OpenArray {
        def bytes(rows: RowRange): ByteRange = part(values, rows, width)
        def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit = {
          val count = Math.toIntExact(rows.length)
          val unpacked = unpack(bytes, (rows.start * width % 8).toInt, width, count)
          if (message.signed) extendSign(unpacked, width)
          Words.appendNarrowed(unpacked, count, out)
          nulls.appendValid(count)
        }
      }
    }
  }

  /** Largest share of a word's bits that is worth packing it. */
  final private val MostShare = 0.8

  /** Encodes words of `bits` as bits without a sign, or as they are if that is hardly larger. */
  def encode(values: DataBlock, bits: Int, firstBuffer: Int): EncodedArray = {
    val width = packedWidth(FastLanes.widthOf(values, 0, values.length))
    if (width > MostShare * bits)
      FlatArray.encode(Flat.bytes(values, bits, 0, values.length), bits, firstBuffer)
    else {
      val message = Bitpacked(width.toLong, bits.toLong, Some(Buffer(firstBuffer)))
      EncodedArray(ArrayEncoding(Encoding.Bitpacked(message)), Vector(pack(values, width)))
    }
  }

  /** pylance 0.16.0 misreads words of 3, 5 or 6 whole bytes. */
  private def packedWidth(least: Int): Int = least match {
    case 0 => 1
    case 24 | 40 | 48 => least + 1
    case _ => least
  }

  private def pack(values: DataBlock, width: Int): Slice = {
    val words = new Array[Long](values.length)
    Widths.widen(values, 0, values.length, words)
    val size = Math.toIntExact(Flat.sizeOf(values.length.toLong, width))
    val out = new Array[Byte](size + java.lang.Long.BYTES)
    var word = 0L
    var used = 0
    var at = 0
    var i = 0
    while (i < words.length) {
      word |= words(i) << used
      used += width
      if (used >= 64) {
        LittleEndian.putLong(out, at, word)
        at += java.lang.Long.BYTES
        used -= 64
        word = if (used == 0) 0 else words(i) >>> width - used
      }
      i += 1
    }
    LittleEndian.putLong(out, at, word)
    Slice(out, 0, size)
  }

  /** Checks a width read from disk, for words of `bits`. */
  def widthOf(width: Long, bits: Int): Int =
    if (width >= 0 && width <= bits) width.toInt
    else throw new LanceFormatException(
      s"words of $bits bits packed into ${java.lang.Long.toUnsignedString(width)}"
    )

  private def part(buffer: ByteRange, rows: RowRange, width: Int): ByteRange = {
    val from = Math.multiplyExact(rows.start, width.toLong) / 8
    val to = Math.addExact(Math.multiplyExact(rows.end, width.toLong), 7L) / 8
    if (rows.start < 0 || from > to || to > buffer.length)
      throw new LanceFormatException(
        s"rows [${rows.start}, ${rows.end}) of $width bits are not in a buffer of ${buffer.length} bytes"
      )
    buffer.slice(from, to - from)
  }

  private def unpack(bytes: Slice, firstBit: Int, width: Int, count: Int): Array[Long] = {
    val out = new Array[Long](count)
    if (width > 0) {
      // Two words are read for each value, which may lie in both.
      val padded = Arrays.copyOfRange(bytes.array, bytes.offset, bytes.end + 16)
      val mask = -1L >>> 64 - width
      var bit = firstBit.toLong
      var i = 0
      while (i < count) {
        val at = (bit >>> 3).toInt
        val shift = (bit & 7).toInt
        val low: Long = LittleEndian.LONG.get(padded, at)
        val high: Long = LittleEndian.LONG.get(padded, at + 8)
        out(i) = (low >>> shift | high << 1 << 63 - shift) & mask
        bit += width
        i += 1
      }
    }
    out
  }

  private def extendSign(values: Array[Long], width: Int): Unit = if (width > 0) {
    val unused = 64 - width
    var i = 0
    while (i < values.length) { values(i) = values(i) << unused >> unused; i += 1 }
  }
}
