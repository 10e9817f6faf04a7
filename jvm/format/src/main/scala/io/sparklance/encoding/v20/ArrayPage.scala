package io.sparklance.encoding.v20

import io.sparklance.data.{ByteRange, DataBlock, NullMask, RowRange, Slice, ValueShape}
import io.sparklance.encoding.{DecodeUnit, Layers, Levels, OpenPage, PageDecoder}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** A page of a 2.0 file: one array. Pages of 0.1 files are read the same way. */
final private[encoding] class ArrayPageDecoder(plan: ArrayPlan, shape: ValueShape) extends PageDecoder {
  def initRanges: Vector[ByteRange] = plan.initRanges
  def open(init: Vector[Slice]): OpenPage = new ArrayPage(plan.open(init), shape)
}

final private class ArrayPage(array: OpenArray, shape: ValueShape) extends OpenPage {
  def layers: Layers = Layers.OfLeaf
  private val rowBytes = math.max(1L, ValueShape.minimumBytes(shape))

  def units(rows: RowRange, targetBytes: Int): Iterator[DecodeUnit] = Iterator.unfold(rows.start) { from =>
    Option.when(from < rows.end) {
      val to = unitEnd(from, rows.end, targetBytes)
      (unit(RowRange(from, to)), to)
    }
  }

  def decode(unit: DecodeUnit, bytes: Slice, values: DataBlock, levels: Levels): Unit = {
    if (bytes.length != unit.bytes.length)
      throw new LanceFormatException(s"${bytes.length} bytes for rows ${unit.rows}, not ${unit.bytes.length}")
    val nulls = new NullMask
    array.decode(unit.rows, bytes, values, nulls)
    if (nulls.hasNulls) {
      val at = levels.extend(nulls.length)
      var i = 0
      while (i < nulls.length) {
        levels.definition(at + i) = if (nulls.isNull(i)) 1 else 0
        i += 1
      }
      levels.hasDefinition = true
    }
  }

  private def unit(rows: RowRange): DecodeUnit = {
    val bytes = array.bytes(rows)
    if (bytes.length > Int.MaxValue - 8)
      throw new UnsupportedLanceFeatureException(s"a value of ${bytes.length} bytes")
    DecodeUnit(rows, bytes)
  }

  /** Returns the end of a unit from `from` on whose bytes and values stay within the target, with at least
    * one row.
    */
  private def unitEnd(from: Long, end: Long, targetBytes: Int): Long = {
    def fits(to: Long): Boolean = array.bytes(RowRange(from, to)).length <= targetBytes
    val most = math.min(end, from + math.max(1L, targetBytes / rowBytes))
    if (fits(most)) most
    else {
      var (good, bad) = (from + 1, most)
      while (bad - good > 1) {
        val middle = good + (bad - good) / 2
        if (fits(middle)) good = middle else bad = middle
      }
      good
    }
  }
}
