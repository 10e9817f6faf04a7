package io.sparklance.file

import io.sparklance.data.{Column, RowRanges}

/** Decodes a stretch of rows of some of a file's columns, batch by batch. */
final private[sparklance] class FileScan private[file] (cursors: Vector[RowCursor], rows: RowRanges) {
  private var remaining = rows.count

  /** One for each requested column, with `Leaf.rowsPerRow` values for each row. Behind the rows of a batch
    * there may be some of later ones.
    */
  val columns: Vector[Column] = cursors.map(_.column)

  /** Makes the next rows the first of all columns, and says how many they are: at most `wanted`, fewer if
    * their values are large, and 0 at the end only.
    */
  def fill(wanted: Int): Int =
    cursors.foldLeft(math.min(wanted.toLong, remaining).toInt)((rows, cursor) => cursor.ensure(rows))

  /** Number of next rows known to be unwanted without decoding them; more may follow. */
  def rejected: Long =
    if (remaining == 0) 0 else cursors.foldLeft(0L)((n, cursor) => if (n > 0) n else cursor.rejected())

  /** Leaves out the next rows. */
  def skip(rows: Long): Unit = {
    cursors.foreach(_.skip(rows))
    remaining -= rows
  }

  /** Called when the first `rows` rows are used, before they are removed from the heads of the columns. */
  def advance(rows: Int): Unit = remaining -= rows
}
