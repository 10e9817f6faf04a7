package io.sparklance.spark.options

import io.sparklance.data.FileVersion
import io.sparklance.table.RowIdentity

/** Options of a write.
  *
  * @param creation
  *   options that apply only if the write creates or replaces a table
  * @param mergeSchema
  *   whether appended rows may bring new columns
  * @param backfill
  *   set if the rows bring values for columns of existing rows
  */
final private[sparklance] case class WriteOptions(
    limits: WriteLimits,
    creation: CreationOptions = CreationOptions(),
    commit: CommitOptions = CommitOptions(),
    layout: RowLayout = RowLayout(),
    mergeSchema: Boolean = false,
    backfill: Option[BackfillOptions] = None,
    branch: Option[String] = None
)

/** Options of a table that is created or replaced.
  *
  * @param columns
  *   settings of columns, which become metadata of their fields
  */
final private[sparklance] case class CreationOptions(
    dataStorageVersion: Option[FileVersion] = None,
    columns: ColumnSettings = ColumnSettings.none,
    identity: RowIdentity = RowIdentity.Address
)
