package io.sparklance.table.transaction

import io.sparklance.table.Fragment
import io.sparklance.table.deletion.DeletionVector

/** The rows of a fragment that a commit deletes.
  *
  * @param asRead
  *   the fragment at the time of reading
  * @param physicalRows
  *   the fragment's row count, which old tables do not record
  */
final private[sparklance] case class AffectedRows(asRead: Fragment, physicalRows: Long, rows: DeletionVector)
