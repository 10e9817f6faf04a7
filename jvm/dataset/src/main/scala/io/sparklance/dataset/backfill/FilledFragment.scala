package io.sparklance.dataset.backfill

import io.sparklance.dataset.write.WrittenFile
import io.sparklance.table.deletion.DeletionVector

/** A fragment with its finished file.
  *
  * @param changed
  *   offsets of the rows with new values: a Roaring bitmap, as in transactions; empty where it is not needed
  */
final private[sparklance] case class FilledFragment(
    id: Long,
    file: WrittenFile,
    changed: Array[Byte] = Array.emptyByteArray
) {
  def changedRows: Long = if (changed.isEmpty) 0 else DeletionVector.unpacked(changed).cardinality
}
