package io.sparklance.spark.rowlevel

import io.sparklance.dataset.write.WrittenFile
import io.sparklance.dataset.{MovedRows, PackedRowSet, RowSet}
import io.sparklance.spark.write.CountedMessage

/** Rows that a task inserts.
  *
  * @param keys
  *   filter of their keys, if they are collected
  */
final private[spark] case class InsertedRows(count: Long, keys: Option[Array[Byte]])

/** Result of a task.
  *
  * @param deleted
  *   addresses of deleted rows
  * @param updated
  *   addresses of rows whose new state is in `moved`
  * @param moved
  *   files with updated rows; without stable row ids, also with new rows
  * @param rowIds
  *   stable ids of the rows in `moved`, in their order
  * @param added
  *   files with new rows only
  * @param inserted
  *   new rows, in any of the files
  * @param isRepeated
  *   whether an earlier attempt may have left files, because its executor was lost
  */
final private[spark] case class DeltaMessage(
    deleted: PackedRowSet,
    updated: PackedRowSet,
    moved: Vector[WrittenFile],
    rowIds: Array[Long],
    added: Vector[WrittenFile],
    inserted: InsertedRows,
    isRepeated: Boolean
) extends CountedMessage {
  @transient lazy val deletedRows: RowSet = deleted.rows
  @transient lazy val updatedRows: RowSet = updated.rows

  override def rows: Long = inserted.count + updatedRows.count + deletedRows.count

  def files: Vector[WrittenFile] = moved ++ added

  /** Returns the files, each with the ids of its rows. */
  def movedRows: Vector[MovedRows] = {
    val starts = moved.scanLeft(0)((sum, file) => sum + file.rows.toInt)
    moved.zip(starts).map { case (file, start) =>
      MovedRows(file, rowIds.slice(start, start + file.rows.toInt))
    } ++ added.map(MovedRows(_, Array.emptyLongArray))
  }
}
