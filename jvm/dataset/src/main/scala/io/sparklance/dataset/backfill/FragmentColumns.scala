package io.sparklance.dataset.backfill

import scala.util.control.NonFatal

import io.sparklance.LanceUsageException
import io.sparklance.data.{Column, ColumnCopy, FileVersion, RowRange, RowRanges, StructBlock}
import io.sparklance.dataset.blob.BlobWriter
import io.sparklance.dataset.scan.{FragmentReader, FragmentTask}
import io.sparklance.dataset.snapshot.RowAddress
import io.sparklance.dataset.write.{FileLimits, FragmentWriter}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.Field
import io.sparklance.table.deletion.{DeletionFiles, DeletionVector}

/** Writes the file with values of some columns for all rows of a fragment, in their order: append a value to
  * each of `columns`, then call [[rowsWritten]]. Rows skipped with [[skipTo]] keep their values; in new
  * columns only deleted rows can be skipped, and become null.
  */
final private[sparklance] class FragmentColumns(
    store: ObjectStore,
    root: String,
    val task: ColumnsTask,
    format: ColumnsFormat
) {
  private val isNullable = format.columns.fields.forall(_.nullable)
  private val deleted: Option[DeletionVector] = task.deletion.map { source =>
    DeletionFiles.read(store, source.path, source.kind, task.physicalRows, source.rows)
  }
  private val old = task.old.map(new OldColumns(store, _))
  private val writer = new FragmentWriter(
    store,
    root,
    format.columns,
    format.files,
    format.write,
    FileLimits.none
  )
  // Ranges of rows with new values: the finished ones, and the current one.
  private val filled = Vector.newBuilder[RowRange]
  private var latest = RowRange(0, 0)

  /** One for each column; the caller appends to them. */
  def columns: Vector[Column] = writer.columns
  def blobs(field: Field, column: Column): BlobWriter = writer.blobs(field, column)

  /** Offset of the next row in the fragment. */
  def next: Long = writer.rowsWritten

  def rowsUntilFull: Long = math.min(writer.rowsUntilFull, task.physicalRows - next)

  def bytesWritten: Long = writer.bytesWritten

  /** Call after appending `n` rows, at most [[rowsUntilFull]]. */
  def rowsWritten(n: Int): Unit = {
    if (latest.end == next) latest = RowRange(latest.start, next + n)
    else {
      filled += latest
      latest = RowRange(next, next + n)
    }
    writer.rowsWritten(n)
  }

  /** Skips the rows before `offset`, which is at most the fragment's end. */
  def skipTo(offset: Long): Unit = if (offset > next) {
    val gap = RowRange(next, offset)
    val areDeleted = deleted.exists(_.deletedIn(gap) == gap.length)
    if (areDeleted && isNullable) appendNulls(gap)
    else old.fold(throw missing(gap))(_.copy(gap, columns, step(gap.end), n => writer.rowsWritten(n)))
  }

  /** Completes the file. */
  def finish(): FilledFragment = {
    skipTo(task.physicalRows)
    old.foreach(_.close())
    val changed = if (old.isEmpty) Array.emptyByteArray else DeletionVector.of(rowsGiven).packed
    FilledFragment(task.id, writer.finish(), changed)
  }

  /** Removes the unfinished file. */
  def abort(): Unit =
    try old.foreach(_.close())
    catch { case NonFatal(_) => () }
    finally writer.abort()

  private def rowsGiven: RowRanges = {
    filled += latest
    RowRanges.of(filled.result())
  }

  private def appendNulls(gap: RowRange): Unit =
    while (next < gap.end) {
      val n = step(gap.end)
      columns.foreach(FragmentColumns.appendBlanks(_, n, format.version))
      writer.rowsWritten(n)
    }

  /** Returns how many rows before `end` can be appended at once. */
  private def step(end: Long): Int =
    math.min(math.min(end - next, rowsUntilFull), FragmentColumns.MaxStep).toInt

  private def missing(gap: RowRange): LanceUsageException = {
    val offset = (gap.start until gap.end).find(row => !deleted.exists(_.isDeleted(row))).getOrElse(gap.start)
    FragmentColumns.missing(task.id, offset)
  }
}

private[sparklance] object FragmentColumns {
  final private val MaxStep = 4096

  /** Appends values for deleted rows. Version 2.0 has no null structs. */
  private def appendBlanks(column: Column, n: Int, version: FileVersion): Unit =
    (version, column.values) match {
      case (FileVersion.V0_1 | FileVersion.V2_0, structs: StructBlock) =>
        structs.children.foreach(appendBlanks(_, n, version))
        structs.advance(n)
        column.nulls.appendValid(n)
      case _ => column.appendNulls(n)
    }

  def missing(fragment: Long, offset: Long): LanceUsageException = new LanceUsageException(
    s"New columns need a value for each row of the table, but row $offset of fragment $fragment has none " +
      s"(_rowaddr ${RowAddress.of(fragment, offset)}). Take the rows from the version that you write to, " +
      "without a filter, or add the columns first and fill them by update_columns. Nothing was " +
      "committed."
  )
}

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
