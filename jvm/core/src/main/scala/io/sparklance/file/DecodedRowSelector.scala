package io.sparklance.file

import io.sparklance.data.Column

/** Chooses among rows that are all decoded: for lists and structs of 2.0 files, whose parts are columns of
  * their own.
  *
  * @param firstRow
  *   the one that the cursor begins with
  */
final private[file] class DecodedRowSelector(cursor: RowCursor, firstRow: Long) extends BufferedSelector {
  def column: Column = cursor.column

  // The row that is behind the chosen ones in the column, or comes there next.
  private var next = firstRow

  def select(rows: Array[Long], positions: Array[Int], count: Int): Int =
    if (held >= count) count
    else {
      if (held == 0) skipTo(rows(positions(0)))
      val picked = picks(count)
      val base = held
      val there = cursor.ensure(Math.toIntExact(base + rows(positions(count - 1)) + 1 - next))
      var i = held
      while (i < count && base + (rows(positions(i)) - next) < there) {
        picked(i) = (base + (rows(positions(i)) - next)).toInt
        i += 1
      }
      if (i > base) next = rows(positions(i - 1)) + 1
      hold(picked, i)
      i
    }

  private def skipTo(row: Long): Unit = if (row > next) {
    cursor.skip(row - next)
    next = row
  }
}
