package io.sparklance.encoding.v20

import java.lang.Long.compareUnsigned

import io.sparklance.LanceFormatException
import io.sparklance.data.{Fixed64Block, NullMask, RowRange, Slice}
import io.sparklance.encoding.EncodedArray

/** Ends of variable-length values: of strings in their bytes, of lists in their items.
  *
  * {{{
  * u64 end[i]   without a leading 0; a null adds the null adjustment, which is greater than all ends
  * }}}
  * Nulls may span bytes or items, which are ignored.
  *
  * @param values
  *   the end of each row from `origin` on; for a null its complement, which is negative
  */
final private[v20] class Ends private (values: Array[Long], origin: Long) {

  /** Returns the end of the value of `row`, where the next one starts; `row` may be -1. */
  def apply(row: Long): Long =
    if (row < 0) 0L else { val e = values((row - origin).toInt); e ^ e >> 63 }

  /** Returns the bytes or items of `rows`. */
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

  /** @param offsets
    *   offsets of the values, beginning with 0
    * @param nullAdjustment
    *   a number greater than all offsets
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
    NullableArray.encode(new NullMask, length, firstBuffer)(BitpackedArray.encode(ends, 8 * Size, _))
  }

  /** Returns the rows whose ends are needed: each value starts where the previous one ends. */
  def needed(rows: RowRange): RowRange = RowRange(math.max(0, rows.start - 1), rows.end)

  /** @param array
    *   the ends of the rows [[needed]] for `wanted`
    * @param init
    *   the bytes of the array's `initRanges`
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
