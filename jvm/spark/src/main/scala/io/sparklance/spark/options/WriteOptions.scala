package io.sparklance.spark.options

import io.sparklance.data.FileVersion
import io.sparklance.dataset.write.StatisticsKind
import io.sparklance.table.RowIdentity

/** What a write may be told; a version of the file format, the identity of rows and what is said of columns only count where a
  * table is made.
  */
final case class WriteOptions(
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

/** @param maxRowsPerFile after which a task begins a new file
  * @param maxBytesPerFile after which, about, it does so as well
  * @param bufferBytes how many bytes of values a task keeps, about, before it writes them
  * @param compression of columns whose metadata ask for none, as these would name it
  * @param statistics what files say of their values
  */
final case class WriteLimits(
    maxRowsPerFile: Long,
    maxBytesPerFile: Long,
    bufferBytes: Long,
    compression: Option[String] = None,
    statistics: StatisticsKind = StatisticsKind.Zones
)
