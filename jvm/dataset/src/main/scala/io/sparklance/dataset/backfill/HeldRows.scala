package io.sparklance.dataset.backfill

import scala.collection.mutable.ArrayBuilder

import io.sparklance.data.{Column, ColumnCopy, RowRanges}
import io.sparklance.dataset.scan.{DataFilePages, FragmentReader, FragmentTask}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.io.ObjectStore
import io.sparklance.schema.LanceSchema

/** New values of some columns for rows of a fragment, in ascending order, until it is known how they are
  * written: append a value to each of `columns`, then call [[add]].
  */
final private[sparklance] class HeldRows(schema: LanceSchema) {
  val columns: Vector[Column] = schema.fields.map(LeafColumn.ofNulls)
  private val held, identities = new ArrayBuilder.ofLong
  private var number = 0

  /** @param id
    *   stable id of the row; any number in tables without
    */
  def add(offset: Long, id: Long): Unit = {
    held += offset
    identities += id
    number += 1
  }

  def count: Int = number
  def offsets: Array[Long] = held.result()
  def ids: Array[Long] = identities.result()
  def bytes: Long = columns.map(_.values.sizeInBytes).sum

  /** Appends the values of rows `[from, until)`. */
  def copy(from: Int, until: Int, to: Vector[Column]): Unit =
    columns.zip(to).foreach { case (source, target) => ColumnCopy.append(source, from, until, target) }

  /** Appends all rows to a column file. */
  def fill(file: FragmentColumns): Unit = {
    var from = 0
    RowRanges.ofRows(offsets).ranges.foreach { range =>
      file.skipTo(range.start)
      while (file.next < range.end) {
        val n = math.min(math.min(range.end - file.next, file.rowsUntilFull), HeldRows.MaxStep).toInt
        copy(from, from + n, file.columns)
        file.rowsWritten(n)
        from += n
      }
    }
  }
}

private[sparklance] object HeldRows {
  final private val MaxStep = 4096L
}

/** Columns of some rows of a fragment, read to be written again as they are stored.
  *
  * @param offsets
  *   of the rows, ascending
  */
final private[sparklance] class RestOfRows(store: ObjectStore, task: FragmentTask, offsets: Array[Long])
    extends AutoCloseable {
  private lazy val reader =
    FragmentReader.open(store, task.copy(rows = RowRanges.ofRows(offsets)), RestOfRows.BatchRows)
  private var (isOpen, next, end) = (false, 0, 0)

  /** Appends the next rows. */
  def copy(rows: Int, to: Vector[Column]): Unit = if (to.nonEmpty) {
    isOpen = true
    var left = rows
    while (left > 0) {
      if (next == end) {
        if (!reader.next()) throw new IllegalStateException(s"fragment ${task.fragmentId} lacks $left rows")
        next = 0
        end = reader.rowCount
      }
      val n = math.min(left, end - next)
      reader.columns.zip(to).foreach { case (source, target) =>
        ColumnCopy.append(source, next, next + n, target)
      }
      next += n
      left -= n
    }
  }

  override def close(): Unit = if (isOpen) reader.close()
}

private object RestOfRows {
  final val BatchRows = 1024
}

/** Bytes that changes of a fragment would write.
  *
  * @param own
  *   stored bytes of the columns that change
  * @param rest
  *   of the other columns
  */
final private[sparklance] case class ChangeCost(rows: Long, own: Long, rest: Long) {

  /** Largest number of changed rows that are cheaper to write with all columns than the columns for all rows.
    */
  val mostMoved: Long = {
    val columns = math.max(own, rows / 8)
    if (rest == 0) rows else (columns.toDouble * rows / (own + rest)).toLong
  }

  /** Whether the columns are cheaper if all rows change as often as the first ones.
    *
    * @param changed
    *   changed rows among the first `seen`
    */
  def prefersColumns(changed: Long, seen: Long): Boolean =
    changed.toDouble * rows / math.max(seen, 1) > mostMoved
}

private[sparklance] object ChangeCost {

  /** Reads the sizes of a fragment's columns.
    *
    * @param own
    *   reads the columns that change
    * @param rest
    *   reads the others
    */
  def of(store: ObjectStore, own: FragmentTask, rest: FragmentTask): ChangeCost =
    ChangeCost(own.physicalRows, bytes(store, own), bytes(store, rest))

  private def bytes(store: ObjectStore, task: FragmentTask): Long = {
    val fields = DataFilePages.fields(LanceSchema(task.projection))
    task.files.flatMap(file => DataFilePages(task.fragmentId, file, "").read(store, fields))
      .flatMap(_.pages.map(_.bytes)).sum
  }
}
