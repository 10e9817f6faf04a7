package io.sparklance.file

import io.sparklance.data.{Column, RowRange}

/** Decodes a stretch of rows of some of a file's columns, batch by batch. */
final class FileScan private[file] (cursors: Vector[ColumnCursor], rows: RowRange) {
  private var remaining = rows.length

  /** One for each requested column. Behind the rows of a batch there may be some of later ones. */
  val columns: Vector[Column] = cursors.map(_.column)

  /** Makes the next rows, at most `wanted`, the first of all columns, and says how many they are; 0 at the end. The caller
    * has removed those of the batch before from the head of the columns.
    */
  def fill(wanted: Int): Int = {
    val rows = math.min(wanted.toLong, remaining).toInt
    cursors.foreach(_.ensure(rows))
    remaining -= rows
    rows
  }
}
