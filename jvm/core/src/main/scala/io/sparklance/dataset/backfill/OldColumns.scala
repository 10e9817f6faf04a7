package io.sparklance.dataset.backfill

import io.sparklance.data.{Column, ColumnCopy, RowRange, RowRanges}
import io.sparklance.dataset.scan.{FragmentReader, FragmentTask}
import io.sparklance.io.ObjectStore

/** Existing values of a fragment's columns. Ranges of rows are requested in ascending order, and copied as
  * stored, so that no type loses anything.
  *
  * @param task
  *   reads all rows, including deleted ones
  */
final private class OldColumns(store: ObjectStore, task: FragmentTask) extends AutoCloseable {
  private var reader = Option.empty[FragmentReader]

  // The rows of the reader's batch.
  private var batch = RowRange(0, 0)

  /** Appends rows.
    *
    * @param step
    *   largest number of rows to append at once
    * @param appended
    *   called with the size of each step
    */
  def copy(rows: RowRange, to: Vector[Column], step: => Int, appended: Int => Unit): Unit = {
    var next = rows.start
    while (next < rows.end) {
      val source = at(next)
      val n = math.min(step.toLong, batch.end - next).toInt
      val from = (next - batch.start).toInt
      to.zip(source).foreach { case (target, column) => ColumnCopy.append(column, from, from + n, target) }
      appended(n)
      next += n
    }
  }

  /** Returns the columns of the batch that contains a row. */
  private def at(row: Long): Vector[Column] = {
    if (reader.isEmpty || row >= batch.end + OldColumns.WorthReading) open(row)
    reader.fold(Vector.empty[Column]) { open =>
      while (row >= batch.end && open.next()) batch = RowRange(batch.end, batch.end + open.rowCount)
      if (row >= batch.end)
        throw new IllegalStateException(s"row $row of fragment ${task.fragmentId} has no old values")
      open.columns
    }
  }

  private def open(row: Long): Unit = {
    close()
    val rest = RowRanges(row, task.physicalRows)
    reader = Some(FragmentReader.open(store, task.copy(rows = rest), OldColumns.BatchRows))
    batch = RowRange(row, row)
  }

  override def close(): Unit = {
    val last = reader
    reader = None
    last.foreach(_.close())
  }
}

private object OldColumns {
  final val BatchRows = 1024

  /** Largest gap of unwanted rows that is read rather than skipped by a new scan. */
  final val WorthReading = 16384
}
