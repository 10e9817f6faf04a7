package io.sparklance.encoding.v20

import io.sparklance.data.{ByteRange, DataBlock, NullMask, RowRange, Slice}
import io.sparklance.encoding.physical.Variable

/** Byte strings that all have the same length, as old releases wrote them. Message `FixedSizeBinary`: an array of them, or
  * of their bytes, back to back.
  */
private[v20] object FixedSizeBinaryArray {

  /** @param rowsPerString rows of `values` that make a string of `width` bytes */
  def plan(width: Int, values: ArrayPlan, rowsPerString: Int): ArrayPlan = new ArrayPlan {
    def initRanges: Vector[ByteRange] = values.initRanges
    def buffer: ByteRange = values.buffer
    def reach(rows: RowRange): ByteRange = values.reach(FixedSizeListArray.itemsOf(rows, rowsPerString))
    def open(init: Vector[Slice]): OpenArray = new Strings(width, values.open(init), rowsPerString)
  }

  final private class Strings(width: Int, values: OpenArray, rowsPerString: Int) extends OpenArray {
    private def span(rows: RowRange): RowRange = FixedSizeListArray.itemsOf(rows, rowsPerString)

    def bytes(rows: RowRange): ByteRange = values.bytes(span(rows))

    def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit = {
      val count = Math.toIntExact(rows.length)
      val content = values.content(span(rows), bytes)
      val strings = Variable.asVariable(out)
      strings.reserve(count, content.length)
      val base = strings.byteLength
      System.arraycopy(content.array, content.offset, strings.bytes, base, content.length)
      val at = strings.length + 1
      var i = 0
      while (i < count) { strings.offsets(at + i) = base + (i + 1) * width; i += 1 }
      strings.advance(count)
      nulls.appendValid(count)
    }
  }
}
