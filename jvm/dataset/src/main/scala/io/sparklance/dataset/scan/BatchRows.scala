package io.sparklance.dataset.scan

import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.file.ReadAhead

/** Makes batches of the wanted rows of a fragment. */
private trait BatchRows {

  /** Moves to the next batch, which has at least one row, or to the end. */
  def read(): Unit

  /** Requests what the next batches take. Returns whether there is room to do so for later fragments, whose
    * rows a filter may examine.
    */
  def lookAhead(): Boolean

  /** The number of rows in the batch; 0 at the end. */
  def rowCount: Int

  /** The offset in the fragment of a row of the batch. */
  def offset(row: Int): Long

  /** Rows that passed all filters, or the first one, and are in no batch yet. */
  def pending: Long
}

/** All live rows, decoded in place. A batch ends before the first row that is too large for it.
  *
  * @param emptyStructs
  *   structs without fields, which are in no file
  */
final private class UnfilteredRows(
    columns: StreamedColumns,
    ahead: ReadAhead,
    emptyStructs: Vector[LeafPart],
    live: LiveRows,
    batchRows: Int
) extends BatchRows {
  private var count = 0

  def rowCount: Int = count
  def offset(row: Int): Long = live.offset(row)
  def pending: Long = 0
  def lookAhead(): Boolean = ahead.proceed()

  def read(): Unit = {
    columns.discard(count)
    count = 0
    while (count == 0 && live.remaining > 0) {
      val end = columns.fill(math.min(batchRows.toLong, live.remaining).toInt)
      count = live.look(end)
      columns.retain(live.positions, count, end)
      live.pass(end.toLong)
    }
    EmptyStructs.fill(emptyStructs, count)
  }
}

/** The rows that passed all filters, with the columns that no filter needs.
  *
  * @param found
  *   the rows, the last stage's source
  * @param first
  *   rows that passed the first filter only, if there is a second
  * @param outputs
  *   take the values of a batch that the rows bring along
  */
final private class FilteredRows(
    found: PendingRows,
    first: Option[PendingRows],
    last: SelectedStage,
    outputs: Vector[LeafPart],
    emptyStructs: Vector[LeafPart],
    batchRows: Int
) extends BatchRows {
  private val offsets = new Array[Long](batchRows)
  private var count = 0

  def rowCount: Int = count
  def offset(row: Int): Long = offsets(row)
  def pending: Long = found.count - count + first.fold(0L)(_.count.toLong)
  def lookAhead(): Boolean = last.lookAhead()

  def read(): Unit = {
    last.drop()
    count = last.next()
    found.rows.copyTo(offsets, count)
    found.copyTo(outputs, count)
    EmptyStructs.fill(emptyStructs, count)
  }
}

private object EmptyStructs {

  /** Gives each column `count` structs. */
  def fill(parts: Vector[LeafPart], count: Int): Unit = parts.foreach { part =>
    part.column.clear()
    LeafColumn.appendStructs(part.column, count)
  }
}
