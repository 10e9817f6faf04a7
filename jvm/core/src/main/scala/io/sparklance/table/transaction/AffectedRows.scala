package io.sparklance.table.transaction

import io.sparklance.table.Fragment
import io.sparklance.table.deletion.DeletionVector

/** The rows of a fragment that a commit deletes.
  *
  * @param asRead the fragment as it was when they were found
  * @param physicalRows of the fragment, which old tables do not record
  */
final case class AffectedRows(asRead: Fragment, physicalRows: Long, rows: DeletionVector)
