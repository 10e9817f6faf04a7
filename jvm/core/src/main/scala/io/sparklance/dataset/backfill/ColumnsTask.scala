package io.sparklance.dataset.backfill

import io.sparklance.data.FileVersion
import io.sparklance.dataset.scan.FragmentTask
import io.sparklance.dataset.snapshot.DeletionSource
import io.sparklance.dataset.write.{DataFileFormat, PageSizes, StatisticsKind, WrittenFile}
import io.sparklance.schema.LanceSchema
import io.sparklance.table.deletion.DeletionVector
import io.sparklance.table.{Fragment, WriteId}

/** A fragment that needs a new column file, with everything that an executor needs.
  *
  * @param fragment
  *   the fragment's id, files, rows and deletions
  * @param old
  *   reads the existing values of all rows, including deleted ones, if rows may keep them; None for new
  *   columns
  */
final private[sparklance] case class ColumnsTask(
    fragment: Fragment,
    physicalRows: Long,
    deletion: Option[DeletionSource],
    old: Option[FragmentTask]
) {
  def id: Long = fragment.id
}

/** Settings for all column files of a job.
  *
  * @param columns
  *   columns of the files
  * @param pages
  *   sizes that bound the memory of a task
  */
final private[sparklance] case class ColumnsFormat(
    columns: LanceSchema,
    version: FileVersion,
    pages: PageSizes,
    write: WriteId,
    compression: Option[String] = None,
    statistics: StatisticsKind = StatisticsKind.Zones
) {

  /** The format of each file. */
  def files: DataFileFormat =
    DataFileFormat(version, pages.buffered, compression, statistics, pageBytes = pages.joined)
}

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
