package io.sparklance.encoding.v01

import io.sparklance.data.{ByteRange, Column, DataBlock, NullMask, RowRange, Slice, ValueShape}
import io.sparklance.encoding.physical.DictionaryValues
import io.sparklance.encoding.v20.{ArrayPlan, OpenArray}

/** A batch of a dictionary column: a plain page with each row's position among the values, from 0. The file
  * holds the values once, after its pages. The position of a null is undefined; most writers left 0.
  *
  * @param numbers
  *   the stored positions
  * @param shape
  *   shape of the positions
  * @param known
  *   all values, some possibly null
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
