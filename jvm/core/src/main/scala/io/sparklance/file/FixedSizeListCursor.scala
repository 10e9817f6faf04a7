package io.sparklance.file

import io.sparklance.data.Column

/** A leaf in fixed-size lists of structs: each row has `items` rows of its column.
  *
  * @param cursor of those
  */
final private[file] class FixedSizeListCursor(cursor: RowCursor, items: Int) extends RowCursor {
  def column: Column = cursor.column

  def ensure(rows: Int): Int = {
    val whole = cursor.ensure(math.min(rows, Int.MaxValue / items) * items) / items
    if (whole == 0) cursor.complete(items)
    math.max(1, whole)
  }

  def complete(rows: Int): Unit = cursor.complete(Math.multiplyExact(rows, items))
}
