package io.sparklance.dataset.compaction

import io.sparklance.data.FileVersion
import io.sparklance.dataset.scan.Split
import io.sparklance.schema.LanceSchema
import io.sparklance.table.WriteId

/** A group to rewrite, with everything that an executor needs.
  *
  * @param split
  *   its rows; in a table with stable row ids, [[LineageCollector.columns]] follow the table's columns
  * @param rowsPerFile
  *   rows of each new file, unless it becomes too large before
  */
final private[sparklance] case class RewriteTask(
    split: Split,
    schema: LanceSchema,
    version: FileVersion,
    rowsPerFile: Vector[Long],
    maxBytesPerFile: Long,
    hasStableRowIds: Boolean,
    write: WriteId
)

private[compaction] object RewriteTask {

  /** Divides rows into files of about `target` rows, without a small remainder. */
  def rowsPerFile(rows: Long, target: Long): Vector[Long] =
    if (rows == 0) Vector.empty
    else {
      val files = math.max(1, rows / target)
      (0L until files).map(i => rows / files + (if (i < rows % files) 1 else 0)).toVector
    }
}
