package io.sparklance.dataset.backfill

import io.sparklance.dataset.scan.FragmentTask
import io.sparklance.dataset.snapshot.DeletionSource
import io.sparklance.table.Fragment

/** A fragment that needs a new column file, with everything that an executor needs.
  *
  * @param fragment
  *   the fragment's id, files, rows and deletions
  * @param old
  *   reads the existing values of all rows, including deleted ones, if rows may keep them; None for new
  *   columns
  */
final private[sparklance] case class ColumnsTask(
    fragment: Fragment,
    physicalRows: Long,
    deletion: Option[DeletionSource],
    old: Option[FragmentTask]
) {
  def id: Long = fragment.id
}
