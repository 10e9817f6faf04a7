package io.sparklance.spark.options

import io.sparklance.data.FileVersion
import io.sparklance.table.RowIdentity

/** Options of a write.
  *
  * @param creation
  *   options that apply only if the write creates or replaces a table
  * @param backfill
  *   set if the rows bring values for columns of existing rows
  */
final private[sparklance] case class WriteOptions(
    limits: WriteLimits,
    creation: CreationOptions = CreationOptions(),
    commit: CommitOptions = CommitOptions(),
    layout: RowLayout = RowLayout(),
    changes: ChangeOptions = ChangeOptions(),
    backfill: Option[BackfillOptions] = None,
    branch: Option[String] = None
)

/** Options of changes to what a table has.
  *
  * @param mergeSchema
  *   whether appended rows may bring new columns
  * @param updateMode
  *   how changed rows are written
  */
final private[sparklance] case class ChangeOptions(
    mergeSchema: Boolean = false,
    updateMode: UpdateMode = UpdateMode.Rows
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
