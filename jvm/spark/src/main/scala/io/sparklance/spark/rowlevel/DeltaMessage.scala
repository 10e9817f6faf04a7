package io.sparklance.spark.rowlevel

import io.sparklance.dataset.backfill.FilledFragment
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.dataset.{MovedRows, PackedFragment, PackedRowSet, RowSet}
import io.sparklance.spark.write.CountedMessage

/** Rows that a task inserts.
  *
  * @param keys
  *   filter of their keys, if they are collected
  */
final private[spark] case class InsertedRows(count: Long, keys: Option[Array[Byte]])

/** Files that a task moves rows to.
  *
  * @param rowIds
  *   stable ids of the rows, in their order
  */
final private[spark] case class MovedFiles(files: Vector[WrittenFile], rowIds: Array[Long])

/** Result of a task.
  *
  * @param deleted
  *   addresses of deleted rows
  * @param updated
  *   addresses of rows whose new state is in `moved`
  * @param moved
  *   updated rows; without stable row ids, also new rows
  * @param added
  *   files with new rows only
  * @param inserted
  *   new rows, in any of the files
  * @param columns
  *   fragments with new values of columns
  * @param isRepeated
  *   whether an earlier attempt may have left files, because its executor was lost
  */
final private[spark] case class DeltaMessage(
    deleted: PackedRowSet,
    updated: PackedRowSet,
    moved: MovedFiles,
    added: Vector[WrittenFile],
    inserted: InsertedRows,
    isRepeated: Boolean,
    columns: Vector[FilledFragment] = Vector.empty
) extends CountedMessage {
  @transient lazy val deletedRows: RowSet = deleted.rows
  @transient lazy val updatedRows: RowSet = updated.rows

  /** Rows whose columns have new values. */
  @transient lazy val changedRows: RowSet =
    PackedRowSet(columns.map(filled => PackedFragment(filled.id, filled.changed))).rows

  override def rows: Long = inserted.count + updatedRows.count + changedRows.count + deletedRows.count

  /** Files with whole rows. */
  def rowFiles: Vector[WrittenFile] = moved.files ++ added

  /** Returns the files, each with the ids of its rows. */
  def movedRows: Vector[MovedRows] = {
    val starts = moved.files.scanLeft(0)((sum, file) => sum + file.rows.toInt)
    moved.files.zip(starts).map { case (file, start) =>
      MovedRows(file, moved.rowIds.slice(start, start + file.rows.toInt))
    } ++ added.map(MovedRows(_, Array.emptyLongArray))
  }
}
