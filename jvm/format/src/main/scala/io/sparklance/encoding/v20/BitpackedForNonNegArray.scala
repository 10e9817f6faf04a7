package io.sparklance.encoding.v20

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, DataBlock, NullMask, RowRange, Slice, ValueShape}
import io.sparklance.encoding.physical.{FastLanes, Widths}
import io.sparklance.proto.encodings20.BitpackedForNonNeg

/** Words of T bits in [[FastLanes]] groups of W bits, as old releases wrote non-negative values. Message
  * `BitpackedForNonNeg`. The last group is padded with zeros:
  *
  * {{{
  * | values 0 to 1023, 128 * W bytes | values 1024 to 2047 | ...
  * }}}
  */
private[v20] object BitpackedForNonNegArray {

  def plan(message: BitpackedForNonNeg, buffers: PageBuffers, shape: ValueShape): ArrayPlan = {
    val bits = Widths.agreedWord(message.uncompressedBitsPerValue, shape, "bit-packed")
    val width = BitpackedArray.widthOf(message.compressedBitsPerValue, bits)
    val groups = buffers(message.buffer)
    new ArrayPlan {
      def initRanges: Vector[ByteRange] = Vector.empty
      def buffer: ByteRange = groups
      def reach(rows: RowRange): ByteRange = part(groups, rows, width)
      def open(init: Vector[Slice]): OpenArray = new OpenArray {
        def bytes(rows: RowRange): ByteRange = part(groups, rows, width)
        def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit = {
          unpack(rows, bytes, width, DataBlock.forShape(shape), out)
          nulls.appendValid(Math.toIntExact(rows.length))
        }
      }
    }
  }

  private def part(buffer: ByteRange, rows: RowRange, width: Int): ByteRange = {
    val size = FastLanes.packedBytes(width).toLong
    val from = Math.multiplyExact(rows.start / FastLanes.Group, size)
    val to = Math.multiplyExact((rows.end - 1) / FastLanes.Group + 1, size)
    if (rows.isEmpty) buffer.slice(0, 0)
    else if (rows.start < 0 || to > buffer.length)
      throw new LanceFormatException(
        s"rows [${rows.start}, ${rows.end}) packed into $width bits are not in a buffer of ${buffer.length} bytes"
      )
    else buffer.slice(from, to - from)
  }

  private def unpack(rows: RowRange, bytes: Slice, width: Int, group: DataBlock, out: DataBlock): Unit = {
    val _ = Widths.fixed(group).extend(FastLanes.Group)
    val size = FastLanes.packedBytes(width)
    var from = bytes.offset
    var row = rows.start
    while (row < rows.end) {
      val skipped = (row % FastLanes.Group).toInt
      val count = math.min(rows.end - row, (FastLanes.Group - skipped).toLong).toInt
      FastLanes.unpack(width, bytes.array, from, group, 0)
      Words.append(group, skipped, count, out)
      from += size
      row += count
    }
  }
}
