package io.sparklance.dataset.compaction

import io.sparklance.data.FileVersion
import io.sparklance.dataset.scan.Split
import io.sparklance.schema.LanceSchema
import io.sparklance.table.WriteId

/** A group to be written anew: everything that an executor has to know.
  *
  * @param split its rows, with [[LineageCollector.columns]] behind the table's own in a table with stable row ids
  * @param rowsPerFile of each new file, as long as none becomes too large before
  */
final case class RewriteTask(
    split: Split,
    schema: LanceSchema,
    version: FileVersion,
    rowsPerFile: Vector[Long],
    maxBytesPerFile: Long,
    hasStableRowIds: Boolean,
    write: WriteId
)

private[compaction] object RewriteTask {

  /** So many files that each has about the wanted number of rows, and none is a small rest. */
  def rowsPerFile(rows: Long, target: Long): Vector[Long] =
    if (rows == 0) Vector.empty
    else {
      val files = math.max(1, rows / target)
      (0L until files).map(i => rows / files + (if (i < rows % files) 1 else 0)).toVector
    }
}
