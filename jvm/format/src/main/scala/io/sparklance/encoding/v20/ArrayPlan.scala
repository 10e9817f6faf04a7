package io.sparklance.encoding.v20

import io.sparklance.data.{ByteRange, DataBlock, Fixed8Block, NullMask, RowRange, Slice}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** An array of a page before any of its bytes are read. Only the page's own array has the page's rows: rows
  * of an inner array are the items of lists or the bytes of strings.
  */
private[encoding] trait ArrayPlan {

  /** Byte ranges to read before rows can be decoded: bitmaps, offsets, dictionaries, and all compressed
    * buffers.
    */
  def initRanges: Vector[ByteRange]

  /** The array, given the bytes of `initRanges`. */
  def open(init: Vector[Slice]): OpenArray

  /** The buffer of the values; of length 0 if there is none, or if it is among the `initRanges`. */
  def buffer: ByteRange

  /** The part of the buffer that holds `rows`, or a superset if it is not known yet. Fails if the array has
    * fewer rows.
    */
  def reach(rows: RowRange): ByteRange
}

/** An open array. It decodes the rows that its plan was made for. Immutable. */
private[encoding] trait OpenArray {

  /** Returns the bytes of the buffer that hold the values of `rows`. */
  def bytes(rows: RowRange): ByteRange

  /** Appends the values and nulls of `rows`, given their `bytes`. */
  def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit

  /** Returns the values of `rows` back to back, if they are bytes. */
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

  /** Largest accepted number of rows that take no bytes. */
  final private val MaxEmptyRows = 1L << 24

  /** An array whose `rows` are decoded at once, because others refer to them: offsets, dictionaries. */
  final class Loaded(plan: ArrayPlan, rows: RowRange) {
    private val reach = plan.reach(rows)

    /** Fails if the array has fewer rows. */
    def check(rows: RowRange): Unit = { val _ = plan.reach(rows) }

    val initRanges: Vector[ByteRange] = plan.initRanges :+ reach

    /** Appends the rows, given the bytes of `initRanges`. */
    def load(init: Vector[Slice], out: DataBlock, nulls: NullMask): Unit = {
      // Rows of 0 bits may claim any number.
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
