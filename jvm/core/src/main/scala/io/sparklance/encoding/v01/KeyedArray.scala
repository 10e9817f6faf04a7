package io.sparklance.encoding.v01

import io.sparklance.data.{ByteRange, Column, DataBlock, NullMask, RowRange, Slice, ValueShape}
import io.sparklance.encoding.physical.DictionaryValues
import io.sparklance.encoding.v20.{ArrayPlan, OpenArray}

/** A batch of a dictionary column: for each row the number of its value, counted from 0, in a plain page. The values stand
  * once in the file, behind its pages. A null has lost its number, and most writers left 0 in its place.
  *
  * @param numbers as they are stored, of `shape`
  * @param known all values, of which some may be null
  */
final private[v01] class KeyedArray(numbers: ArrayPlan, shape: ValueShape, known: Column) extends ArrayPlan {
  def initRanges: Vector[ByteRange] = numbers.initRanges
  def buffer: ByteRange = numbers.buffer
  def reach(rows: RowRange): ByteRange = numbers.reach(rows)

  def open(init: Vector[Slice]): OpenArray = {
    val stored = numbers.open(init)
    new OpenArray {
      def bytes(rows: RowRange): ByteRange = stored.bytes(rows)

      def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit = {
        val positions = DataBlock.forShape(shape)
        val missing = new NullMask
        stored.decode(rows, bytes, positions, missing)
        DictionaryValues.gather(positions, 0, positions.length, known.values, out)
        DictionaryValues.appendNulls(positions, missing, known.nulls, nulls)
      }
    }
  }
}
