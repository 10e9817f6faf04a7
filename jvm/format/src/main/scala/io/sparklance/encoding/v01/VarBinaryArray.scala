package io.sparklance.encoding.v01

import io.sparklance.data.{ByteRange, DataBlock, NullMask, RowRange, Slice}
import io.sparklance.encoding.physical.Variable
import io.sparklance.encoding.v20.{ArrayPlan, OpenArray}

/** Byte strings of a batch:
  *
  * {{{
  * bytes of all values, back to back | i64 start[0], .., start[n]        the page's position is that of start[0]
  * }}}
  * The [[Bounds]] are positions in the file. In a nullable field an empty string is read as a null; the
  * format cannot distinguish them.
  *
  * @param content
  *   range of the file in which strings may lie
  * @param offsets
  *   position of their bounds
  */
final private[v01] class VarBinaryArray(
    content: ByteRange,
    offsets: ByteRange,
    wanted: RowRange,
    nullable: Boolean
) extends ArrayPlan {
  private val needed = Bounds.needed(offsets, VarBinaryArray.OffsetBits, wanted)

  def initRanges: Vector[ByteRange] = Vector(needed)
  def buffer: ByteRange = content
  def reach(rows: RowRange): ByteRange = {
    val _ = Bounds.needed(offsets, VarBinaryArray.OffsetBits, rows)
    content
  }

  def open(init: Vector[Slice]): OpenArray = {
    val limits = RowRange(content.offset, content.end)
    val bounds = Bounds.load(init.head, VarBinaryArray.OffsetBits, wanted, limits)
    new Strings(bounds)
  }

  final private class Strings(bounds: Bounds) extends OpenArray {
    def bytes(rows: RowRange): ByteRange = {
      val span = bounds.span(rows)
      ByteRange(span.start, span.length)
    }

    def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit = {
      val count = Math.toIntExact(rows.length)
      val strings = Variable.asVariable(out)
      strings.reserve(count, bytes.length)
      System.arraycopy(bytes.array, bytes.offset, strings.bytes, strings.byteLength, bytes.length)
      bounds.write(rows, strings.byteLength, strings.offsets, strings.length + 1)
      strings.advance(count)
      if (nullable) nulls.appendLevels(bounds.emptyLevels(rows), 0, count) else nulls.appendValid(count)
    }
  }
}

private[v01] object VarBinaryArray {
  final val OffsetBits = 64
}
