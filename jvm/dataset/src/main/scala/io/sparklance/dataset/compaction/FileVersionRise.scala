package io.sparklance.dataset.compaction

import io.sparklance.LanceUsageException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.write.WriteSchema
import io.sparklance.schema.BlobVersion
import io.sparklance.table.transaction.Operation

/** Way to a higher file version for a table's new files. */
sealed private[sparklance] trait FileVersionRise

private[sparklance] object FileVersionRise {

  /** The table has the version. */
  case object Done extends FileVersionRise

  /** The version is noted for new files; others stay beside them. */
  final case class Noted(operation: Operation) extends FileVersionRise

  /** All files are rewritten: those of version 0.1 cannot be beside others. */
  final case class Rewritten(plan: CompactionPlan, options: CompactionOptions) extends FileVersionRise

  /** @throws io.sparklance.LanceUsageException
    *   if the table has a higher version, or columns that the version does not take
    */
  def of(dataset: Dataset, version: FileVersion): FileVersionRise = dataset.locating {
    val now = dataset.fileVersion
    if (now == version) Done
    else {
      if (!version.isAfter(now)) throw lower(dataset, version)
      refuseColumns(dataset, version)
      now match {
        case FileVersion.V0_1 if dataset.fragments.nonEmpty =>
          val options = CompactionOptions(fileVersion = Some(version), rewritesAll = true)
          Rewritten(Compaction.plan(dataset, options), options)
        case FileVersion.V0_1 | FileVersion.V2_0 | FileVersion.V2_1 | FileVersion.V2_2 =>
          Noted(Operation.UpdateConfig.raising(version))
      }
    }
  }

  private def refuseColumns(dataset: Dataset, version: FileVersion): Unit = {
    WriteSchema.refuseUnwritable(dataset.schema, version)
    val fields = dataset.schema.fields
    fields.find(f =>
      BlobVersion.suiting(dataset.schema.copy(fields = Vector(f)), version).fields != Vector(f)
    )
      .foreach { field =>
        throw new LanceUsageException(
          s"Column '${field.name}' of the table at ${dataset.root} has blobs of version 1, which files of version $version do not " +
            "take. Copy the rows to a new table, or choose a lower version."
        )
      }
  }

  private def lower(dataset: Dataset, version: FileVersion): LanceUsageException = new LanceUsageException(
    s"The table at ${dataset.root} has file version ${dataset.fileVersion}, which can be raised but not lowered to $version. Copy " +
      "the rows to a new table with the option dataStorageVersion."
  )
}
