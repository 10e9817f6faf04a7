package io.sparklance.encoding.v20

import java.lang.Long.compareUnsigned

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, DataBlock, Fixed64Block, NullMask, RowRange, Slice, VariableBlock}
import io.sparklance.encoding.physical.{Fsst, Variable}

/** Byte strings. Messages `Binary` and, if the strings are compressed, `Fsst` around it:
  *
  * {{{
  * indices   u64 end[i] of each value, without a leading 0; that of a null has the null adjustment added
  * bytes     of all values, back to back
  * }}}
  * The adjustment is greater than all ends. Nulls may span bytes that mean nothing.
  */
private[v20] object BinaryArray {

  /** @param indices of `wanted` and the row before
    * @param fsst decodes what the bytes of values are codes for
    */
  def plan(
      indices: ArrayPlan.Loaded,
      nullAdjustment: Long,
      values: ArrayPlan,
      wanted: RowRange,
      fsst: Option[Fsst.Codes]
  ): ArrayPlan = new ArrayPlan {
    def initRanges: Vector[ByteRange] = indices.initRanges ++ values.initRanges
    def buffer: ByteRange = values.buffer
    def reach(rows: RowRange): ByteRange = {
      indices.check(rows)
      values.buffer
    }
    def open(init: Vector[Slice]): OpenArray = {
      val (forIndices, forValues) = init.splitAt(indices.initRanges.size)
      val block = new Fixed64Block
      val nulls = new NullMask
      indices.load(forIndices, block, nulls)
      if (nulls.hasNulls) throw new LanceFormatException("nulls among the ends of strings")
      val ends = parseEnds(block, nullAdjustment)
      new Strings(ends, indexed(wanted).start, values.open(forValues), fsst)
    }
  }

  /** The rows whose ends are needed: values start where those before them end. */
  def indexed(rows: RowRange): RowRange = RowRange(math.max(0, rows.start - 1), rows.end)

  /** Each value's end or, if it is null, the complement of it, which is negative. */
  private def parseEnds(indices: Fixed64Block, nullAdjustment: Long): Array[Long] = {
    val ends = indices.values
    var previous = 0L
    var i = 0
    while (i < indices.length) {
      val isNull = compareUnsigned(ends(i), nullAdjustment) >= 0
      val end = if (isNull) ends(i) - nullAdjustment else ends(i)
      if (end < previous)
        throw new LanceFormatException(s"a string ends at $end, before it starts at $previous")
      ends(i) = if (isNull) ~end else end
      previous = end
      i += 1
    }
    ends
  }

  /** @param origin the row of the first end */
  final private class Strings(ends: Array[Long], origin: Long, values: OpenArray, fsst: Option[Fsst.Codes])
      extends OpenArray {

    private def end(row: Long): Long =
      if (row < 0) 0L else { val e = ends((row - origin).toInt); e ^ e >> 63 }

    private def span(rows: RowRange): RowRange = RowRange(end(rows.start - 1), end(rows.end - 1))

    def bytes(rows: RowRange): ByteRange = values.bytes(span(rows))

    def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit = {
      val count = Math.toIntExact(rows.length)
      val content = values.content(span(rows), bytes)
      val strings = Variable.asVariable(out)
      fsst match {
        case None =>
          strings.reserve(count, content.length)
          System.arraycopy(content.array, content.offset, strings.bytes, strings.byteLength, content.length)
          writeEnds(rows, strings.byteLength, strings, count)
          strings.advance(count)
        case Some(codes) =>
          strings.reserve(count, codes.roomFor(content))
          writeEnds(rows, content.offset, strings, count)
          codes.decode(content, count, strings)
      }
      appendNulls(rows, count, nulls)
    }

    /** Puts the ends of `rows` behind those that `out` has, as if the first value started at `base`. */
    private def writeEnds(rows: RowRange, base: Int, out: VariableBlock, count: Int): Unit = {
      val shift = base - end(rows.start - 1)
      val from = (rows.start - origin).toInt
      val at = out.length + 1
      val target = out.offsets
      var i = 0
      while (i < count) {
        val e = ends(from + i)
        target(at + i) = ((e ^ e >> 63) + shift).toInt
        i += 1
      }
    }

    private def appendNulls(rows: RowRange, count: Int, nulls: NullMask): Unit = {
      val from = (rows.start - origin).toInt
      val levels = new Array[Short](count)
      var i = 0
      while (i < count) { levels(i) = (ends(from + i) >>> 63).toShort; i += 1 }
      nulls.appendLevels(levels, 0, count)
    }
  }
}
