package io.sparklance.dataset

import io.sparklance.LanceUsageException
import io.sparklance.data.RowRanges
import io.sparklance.table.deletion.DeletionVector
import io.sparklance.table.rowid.RowIdEncoder
import io.sparklance.table.transaction.{AffectedRows, Operation}

/** A file with rows that were in the table before.
  *
  * @param rowIds of a table with stable ones, those of its first rows, which keep them; rows behind these are new ones
  */
final case class MovedRows(file: WrittenFile, rowIds: Array[Long])

/** Operations that delete and change rows of a version of a table; what others did to the same fragments since is kept, as
  * long as it was to other rows.
  */
object RowChanges {

  /** @param rows to be deleted, by fragment
    * @param predicate that found them, for information
    */
  def delete(table: Dataset, rows: Map[Long, RowRanges], predicate: String): Operation =
    Operation.Delete.of(affected(table, rows), predicate)

  /** Deletes rows and adds others, some of which may be the deleted ones as they are now. */
  def update(table: Dataset, rows: Map[Long, RowRanges], files: Vector[MovedRows]): Operation = {
    val fragments = files.map { moved =>
      val fragment = Dataset.fragment(moved.file)
      if (moved.rowIds.isEmpty) fragment else fragment.withRowIds(RowIdEncoder.encode(moved.rowIds))
    }
    Operation.Update.of(affected(table, rows), fragments, table.schema.preOrder.map(_.id))
  }

  private def affected(table: Dataset, rows: Map[Long, RowRanges]): Vector[AffectedRows] = {
    val unknown = rows.keySet -- table.fragments.map(_.id)
    if (unknown.nonEmpty)
      throw new LanceUsageException(
        s"The table at ${table.root} has no fragment ${unknown.min} in version ${table.version}, of which rows are to be " +
          "deleted. Take addresses of rows from the version that is written to."
      )
    table.fragments.flatMap { fragment =>
      rows.get(fragment.id).filterNot(_.isEmpty).map { ranges =>
        val count = table.physicalRows(fragment)
        if (ranges.start < 0 || ranges.end > count)
          throw new LanceUsageException(
            s"Rows ${ranges.start} to ${ranges.end - 1} are to be deleted of fragment ${fragment.id} of the table at " +
              s"${table.root}, which has $count. Take addresses of rows from the version that is written to."
          )
        AffectedRows(fragment, count, DeletionVector.of(ranges))
      }
    }
  }
}
