package io.sparklance.encoding.v20

import java.lang.Long.compareUnsigned

import io.sparklance.LanceFormatException
import io.sparklance.data.{Fixed64Block, NullMask, RowRange, Slice}
import io.sparklance.encoding.EncodedArray
import io.sparklance.encoding.physical.Flat

/** Where the values of rows that vary in length end: of strings among their bytes, of lists among their items.
  *
  * {{{
  * u64 end[i]   without a leading 0; that of a null has the null adjustment added, which is greater than all ends
  * }}}
  * Nulls may span bytes or items, which mean nothing.
  *
  * @param values for each row from `origin` on its end or, if it is null, the complement of that, which is negative
  */
final private[v20] class Ends private (values: Array[Long], origin: Long) {

  /** Where the value of `row` ends, and that of the next row starts; `row` may be -1. */
  def apply(row: Long): Long =
    if (row < 0) 0L else { val e = values((row - origin).toInt); e ^ e >> 63 }

  /** Of the bytes or items, those of `rows`. */
  def span(rows: RowRange): RowRange = RowRange(apply(rows.start - 1), apply(rows.end - 1))

  /** Writes the ends of `rows` to `out(at ..)`, as if the first value started at `base`. */
  def write(rows: RowRange, base: Int, out: Array[Int], at: Int): Unit = {
    val count = (rows.end - rows.start).toInt
    val shift = base - apply(rows.start - 1)
    val from = (rows.start - origin).toInt
    var i = 0
    while (i < count) {
      val e = values(from + i)
      out(at + i) = ((e ^ e >> 63) + shift).toInt
      i += 1
    }
  }

  def appendNulls(rows: RowRange, nulls: NullMask): Unit = {
    val count = (rows.end - rows.start).toInt
    val from = (rows.start - origin).toInt
    val levels = new Array[Short](count)
    var i = 0
    while (i < count) { levels(i) = (values(from + i) >>> 63).toShort; i += 1 }
    nulls.appendLevels(levels, 0, count)
  }
}

private[v20] object Ends {

  /** Bytes of each end. */
  final val Size = 8

  /** @param offsets of the values, the first of which is 0
    * @param nullAdjustment greater than all of them
    */
  def encode(
      offsets: Array[Int],
      length: Int,
      nulls: NullMask,
      nullAdjustment: Long,
      firstBuffer: Int
  ): EncodedArray = {
    val ends = new Fixed64Block
    val _ = ends.extend(length)
    var i = 0
    while (i < length) {
      ends.values(i) = offsets(i + 1) + (if (nulls.isNull(i)) nullAdjustment else 0L)
      i += 1
    }
    NullableArray.encode(new NullMask, length, firstBuffer) { next =>
      FlatArray.encode(Flat.bytes(ends, 8 * Size, 0, length), 8 * Size, next)
    }
  }

  /** The rows whose ends are needed: values start where those before them end. */
  def needed(rows: RowRange): RowRange = RowRange(math.max(0, rows.start - 1), rows.end)

  /** @param array of the ends of the rows [[needed]] for `wanted`
    * @param init the bytes that it wants
    */
  def load(array: ArrayPlan.Loaded, init: Vector[Slice], nullAdjustment: Long, wanted: RowRange): Ends = {
    val block = new Fixed64Block
    val nulls = new NullMask
    array.load(init, block, nulls)
    if (nulls.hasNulls) throw new LanceFormatException("nulls among the ends of strings or lists")
    val ends = block.values
    var previous = 0L
    var i = 0
    while (i < block.length) {
      val isNull = compareUnsigned(ends(i), nullAdjustment) >= 0
      val end = if (isNull) ends(i) - nullAdjustment else ends(i)
      if (end < previous)
        throw new LanceFormatException(s"a value ends at $end, before it starts at $previous")
      ends(i) = if (isNull) ~end else end
      previous = end
      i += 1
    }
    new Ends(ends, needed(wanted).start)
  }
}
