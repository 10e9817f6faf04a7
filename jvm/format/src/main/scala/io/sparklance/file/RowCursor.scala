package io.sparklance.file

import io.sparklance.data.Column

/** Decodes a field's rows one after the other, as much as is asked for. */
private[file] trait RowCursor {

  /** Decoded values that the caller has not removed yet: one for each row, or `Leaf.rowsPerRow`. */
  def column: Column

  /** Decodes until the column holds `rows` values, which its pages have, or as many bytes as a batch should
    * have. Says how many of the rows are there; at least one is.
    */
  def ensure(rows: Int): Int

  /** Decodes until the column holds `rows` values, whatever their size. */
  def complete(rows: Int): Unit

  /** Number of next rows known to be unwanted without decoding them; more may follow. */
  def rejected(): Long = 0

  /** Leaves out the next rows. */
  def skip(rows: Long): Unit = {
    var left = rows
    while (left > 0) {
      val n = ensure(math.min(left, RowCursor.SkippedRows).toInt)
      column.discardHead(n)
      left -= n
    }
  }
}

private object RowCursor {
  final private val SkippedRows = 4096L
}
