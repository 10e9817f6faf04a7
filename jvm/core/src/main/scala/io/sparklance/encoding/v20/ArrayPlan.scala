package io.sparklance.encoding.v20

import io.sparklance.data.{ByteRange, DataBlock, Fixed8Block, NullMask, RowRange, Slice}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** An array of a page before any of its bytes were read. Its rows are those of the page only where the array is the page's
  * own: the items of lists and the bytes of strings have rows of their own kind.
  */
private[encoding] trait ArrayPlan {

  /** What must be read before rows can be decoded: bitmaps, offsets, dictionaries, and all that is compressed. */
  def initRanges: Vector[ByteRange]

  /** The array, given the bytes of `initRanges`. */
  def open(init: Vector[Slice]): OpenArray

  /** The buffer of the values; of length 0 if there is none, or if it is among the `initRanges`. */
  def buffer: ByteRange

  /** The part of the buffer that `rows` are in, as far as can be told beforehand; fails if the array has not so many. */
  def reach(rows: RowRange): ByteRange
}

/** An array of which rows can be decoded, if they are among those that were wanted when it was planned. Immutable. */
private[encoding] trait OpenArray {

  /** The bytes of the buffer that hold the values of `rows`. */
  def bytes(rows: RowRange): ByteRange

  /** Appends the values of `rows`, of which `bytes` are at hand, and which of them are null. */
  def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit

  /** The values of `rows` as they are, back to back, if they are bytes. */
  def content(rows: RowRange, bytes: Slice): Slice = {
    val block = new Fixed8Block
    val nulls = new NullMask
    decode(rows, bytes, block, nulls)
    if (nulls.hasNulls) throw new LanceFormatException("nulls among the bytes of strings")
    Slice(block.values, 0, block.length)
  }
}

private[encoding] object ArrayPlan {
  val NoBytes: ByteRange = ByteRange(0, 0)

  /** No writer makes pages of more rows that take no room. */
  final private val MaxEmptyRows = 1L << 24

  /** An array of which `rows` are decoded at once, because others refer to them: offsets, dictionaries. */
  final class Loaded(plan: ArrayPlan, rows: RowRange) {
    private val reach = plan.reach(rows)

    /** Fails if the array has not so many rows. */
    def check(rows: RowRange): Unit = { val _ = plan.reach(rows) }

    val initRanges: Vector[ByteRange] = plan.initRanges :+ reach

    /** Appends the rows, given the bytes of `initRanges`. */
    def load(init: Vector[Slice], out: DataBlock, nulls: NullMask): Unit = {
      // Rows of no bits at all can be any number.
      val stored = init.iterator.map(_.length.toLong).sum
      if (rows.length > math.max(ArrayPlan.MaxEmptyRows, 8 * stored))
        throw new UnsupportedLanceFeatureException(s"an array of ${rows.length} rows in $stored bytes")
      val array = plan.open(init.init)
      val wanted = array.bytes(rows)
      val bytes =
        if (wanted.length == 0) Slice.Empty
        else init.last.slice(wanted.offset - reach.offset, wanted.length, s"an array of ${rows.length} rows")
      array.decode(rows, bytes, out, nulls)
    }
  }
}
