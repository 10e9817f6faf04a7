package io.sparklance.spark.options

import io.sparklance.data.FileVersion
import io.sparklance.dataset.write.StatisticsKind
import io.sparklance.table.RowIdentity

/** Options of a write. File version, row identity and column settings apply only to new tables. */
final private[sparklance] case class WriteOptions(
    dataStorageVersion: Option[FileVersion],
    limits: WriteLimits,
    columns: ColumnSettings = ColumnSettings.none,
    commit: CommitOptions = CommitOptions(),
    layout: RowLayout = RowLayout(),
    identity: RowIdentity = RowIdentity.Address,
    mergeSchema: Boolean = false,
    ofColumns: Option[BackfillOptions] = None,
    branch: Option[String] = None
)

/** @param maxRowsPerFile
  *   rows after which a task starts a new file
  * @param maxBytesPerFile
  *   approximate bytes after which a task starts a new file
  * @param bufferBytes
  *   approximate bytes of values that a task buffers
  * @param compression
  *   compression of columns whose metadata ask for none
  * @param statistics
  *   kind of statistics in the files
  */
final private[sparklance] case class WriteLimits(
    maxRowsPerFile: Long,
    maxBytesPerFile: Long,
    bufferBytes: Long,
    compression: Option[String] = None,
    statistics: StatisticsKind = StatisticsKind.Zones
)
