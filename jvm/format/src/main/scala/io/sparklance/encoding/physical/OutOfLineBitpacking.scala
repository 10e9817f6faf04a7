package io.sparklance.encoding.physical

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, Slice, ValueShape}
import io.sparklance.encoding.{BlockCompressor, BlockDecompressor, BlockValues}
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.{CompressiveEncoding, OutOfLineBitpacking => Message}

/** Words of T bits packed into W bits each, where the page's message gives W:
  *
  * {{{
  * | group of 1024 values, 128 * W bytes | ... | tail: the last (count % 1024) values |
  * }}}
  * The tail is either a zero-padded group or its plain values: whichever is shorter, and plain if they are
  * equal. The buffer's length shows which. W may be 0; then there are no bytes at all.
  */
private[sparklance] object OutOfLineBitpacking {

  /** Bounds the values of a page without bytes: more than the levels of any chunk. */
  final private val MaxValuesOfNoBits = 65536

  def decompressor(message: Message, shape: ValueShape): BlockDecompressor = {
    val bits = Widths.agreedWord(message.uncompressedBitsPerValue, shape, "bit-packed")
    decompressor(bits, packedWidth(message.getValues, bits))
  }

  private def packedWidth(values: CompressiveEncoding, bits: Int): Int = values.compression match {
    case Compression.Flat(flat) if flat.data.isEmpty && flat.bitsPerValue >= 0 && flat.bitsPerValue <= bits =>
      flat.bitsPerValue.toInt
    case other => throw new LanceFormatException(s"values of $bits bits bit-packed as $other")
  }

  /** @param bits
    *   T
    * @param width
    *   W
    */
  def decompressor(bits: Int, width: Int): BlockDecompressor = (buffer, count, out) => {
    val groups = count / FastLanes.Group
    val tail = count % FastLanes.Group
    val packed = FastLanes.packedBytes(width)
    val rest = buffer.length - groups.toLong * packed
    val rawTail = tail.toLong * (bits / 8)
    if (rest != rawTail && rest != (if (tail == 0) 0 else packed))
      throw new LanceFormatException(s"${buffer.length} bytes for $count values packed into $width bits")
    if (width == 0 && count > MaxValuesOfNoBits)
      throw new LanceFormatException(s"$count values packed into 0 bits")
    if (rest == rawTail) {
      unpack(groups, width, buffer, groups * FastLanes.Group, out)
      Flat.append(Slice(buffer.array, buffer.end - rawTail.toInt, rawTail.toInt), tail, out)
    } else unpack(groups + 1, width, buffer, count, out)
  }

  private def unpack(groups: Int, width: Int, buffer: Slice, count: Int, out: DataBlock): Unit = {
    val at = Widths.fixed(out).extend(Math.multiplyExact(groups, FastLanes.Group))
    var group = 0
    while (group < groups) {
      val from = buffer.offset + group * FastLanes.packedBytes(width)
      FastLanes.unpack(width, buffer.array, from, out, at + group * FastLanes.Group)
      group += 1
    }
    out.truncate(at + count)
  }

  def encoding(bits: Int, width: Int): CompressiveEncoding = CompressiveEncoding(
    Compression.OutOfLineBitpacking(Message(bits.toLong, Some(Flat.encoding(width))))
  )

  /** @param width
    *   at least that of the widest value; the same for all blocks of a page, as they share one description
    */
  def compressor(bits: Int, width: Int): BlockCompressor = values => {
    val groups = values.length / FastLanes.Group
    val tail = values.length % FastLanes.Group
    val packed = FastLanes.packedBytes(width)
    val raw =
      if (packed < tail * (bits / 8)) None else Some(Flat.bytes(values, bits, groups * FastLanes.Group, tail))
    val target = new Array[Byte](groups * packed + raw.fold(packed)(_.length))
    (0 until groups).foreach(g =>
      FastLanes.pack(width, values, g * FastLanes.Group, FastLanes.Group, target, g * packed)
    )
    raw match {
      case Some(bytes) => System.arraycopy(bytes.array, bytes.offset, target, groups * packed, bytes.length)
      case None => FastLanes.pack(width, values, groups * FastLanes.Group, tail, target, groups * packed)
    }
    BlockValues(Slice(target), encoding(bits, width))
  }
}
