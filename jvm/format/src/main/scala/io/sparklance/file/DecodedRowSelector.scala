package io.sparklance.file

import io.sparklance.data.Column

/** Chooses among rows that are all decoded: for lists and structs of 2.0 files, whose parts are columns of
  * their own.
  *
  * @param firstRow
  *   the first row of the cursor
  */
final private[file] class DecodedRowSelector(chosen: ChosenRows, cursor: RowCursor, firstRow: Long)
    extends BufferedSelector(chosen) {
  def column: Column = cursor.column

  // The row after the chosen ones in the column; the next to be decoded, if there is none.
  private var next = firstRow

  def select(count: Int): Int =
    if (held >= count) count
    else {
      if (held == 0) skipTo(row(0))
      val picked = picks(count)
      val base = held
      val span = base + row(count - 1) + 1 - next
      val decoded = cursor.ensure(math.min(span, Int.MaxValue.toLong).toInt)
      var i = held
      while (i < count && base + (row(i) - next) < decoded) {
        picked(i) = (base + (row(i) - next)).toInt
        i += 1
      }
      if (i > base) next = row(i - 1) + 1
      hold(picked, i)
      i
    }

  private def skipTo(row: Long): Unit = if (row > next) {
    cursor.skip(row - next)
    next = row
  }
}
