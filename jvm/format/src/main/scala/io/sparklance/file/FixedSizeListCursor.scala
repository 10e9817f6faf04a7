package io.sparklance.file

import io.sparklance.data.Column
import io.sparklance.{Location, UnsupportedLanceFeatureException}

/** A leaf in fixed-size lists of structs: each row has `items` rows of its column.
  *
  * @param location
  *   for messages
  * @param cursor
  *   of those
  * @param maxBytes
  *   that a row may take
  */
final private[file] class FixedSizeListCursor(
    location: Location,
    cursor: RowCursor,
    items: Int,
    maxBytes: Long = FixedSizeListCursor.MaxBytes
) extends RowCursor {
  def column: Column = cursor.column

  def ensure(rows: Int): Int = {
    val whole = cursor.ensure(math.min(rows, Int.MaxValue / items) * items) / items
    val some = math.max(whole, math.min(1, rows))
    complete(some)
    some
  }

  override def skip(rows: Long): Unit = cursor.skip(Math.multiplyExact(rows, items.toLong))

  /** Completes rows in steps, since a page of nulls or constants has any number of items in no bytes. */
  def complete(rows: Int): Unit = {
    val wanted = Math.multiplyExact(rows, items)
    while (column.length < wanted) {
      if (column.values.sizeInBytes > maxBytes)
        throw new UnsupportedLanceFeatureException(
          s"rows of $items structs with more than $maxBytes bytes",
          location
        )
      cursor.complete(math.min(wanted.toLong, column.length + FixedSizeListCursor.StepItems).toInt)
    }
  }
}

private object FixedSizeListCursor {
  final private val MaxBytes = 256L << 20
  final private val StepItems = 1024L
}
