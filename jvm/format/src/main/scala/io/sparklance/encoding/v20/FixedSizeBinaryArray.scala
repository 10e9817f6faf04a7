package io.sparklance.encoding.v20

import io.sparklance.data.{ByteRange, DataBlock, NullMask, RowRange, Slice}
import io.sparklance.encoding.physical.Variable

/** Fixed-length byte strings, as old releases wrote them. Message `FixedSizeBinary`: an array of strings, or
  * of their bytes.
  */
private[v20] object FixedSizeBinaryArray {

  /** @param rowsPerString rows of `values` in a string of `width` bytes */
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
