package io.sparklance.spark.rowlevel

import io.sparklance.dataset.MovedRows
import io.sparklance.dataset.scan.{PackedRowSet, RowSet}
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.spark.write.CountedMessage

/** Result of a task.
  *
  * @param deleted
  *   deleted rows
  * @param updated
  *   rows whose new state is in `moved`
  * @param moved
  *   files with updated rows; without stable row ids, also with new rows
  * @param rowIds
  *   the stable ids of these rows, in their order
  * @param added
  *   files with new rows only
  * @param inserted
  *   how many new rows there are
  * @param isRepeated
  *   whether there was another attempt before, which may have left files if its executor was lost
  */
final private[spark] case class DeltaMessage(
    deleted: PackedRowSet,
    updated: PackedRowSet,
    moved: Vector[WrittenFile],
    rowIds: Array[Long],
    added: Vector[WrittenFile],
    inserted: Long,
    isRepeated: Boolean
) extends CountedMessage {
  @transient lazy val deletedRows: RowSet = deleted.rows
  @transient lazy val updatedRows: RowSet = updated.rows

  override def rows: Long = inserted + updatedRows.count + deletedRows.count

  def files: Vector[WrittenFile] = moved ++ added

  /** The files, each with the ids of its rows. */
  def movedRows: Vector[MovedRows] = {
    val starts = moved.scanLeft(0)((sum, file) => sum + file.rows.toInt)
    moved.zip(starts).map { case (file, start) =>
      MovedRows(file, rowIds.slice(start, start + file.rows.toInt))
    } ++ added.map(MovedRows(_, Array.emptyLongArray))
  }
}
