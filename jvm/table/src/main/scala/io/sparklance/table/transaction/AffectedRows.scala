package io.sparklance.table.transaction

import io.sparklance.table.deletion.DeletionVector
import io.sparklance.table.{DataFile, Fragment}

/** The rows of a fragment that a commit deletes or changes in place.
  *
  * @param asRead
  *   the fragment at the time of reading
  * @param physicalRows
  *   the fragment's row count, which old tables do not record
  * @param rows
  *   rows to delete; may be empty
  * @param columns
  *   new values of other rows
  */
final private[sparklance] case class AffectedRows(
    asRead: Fragment,
    physicalRows: Long,
    rows: DeletionVector,
    columns: Option[NewColumns] = None
) {

  /** Whether the commit needs rows that others have deleted. */
  def meets(deleted: DeletionVector): Boolean =
    deleted.intersects(rows) || columns.exists(now => deleted.intersects(now.changed))
}

/** A file with some columns of a fragment.
  *
  * @param changed
  *   rows with new values; all others have their old ones
  */
final private[sparklance] case class NewColumns(file: DataFile, changed: DeletionVector)
