package io.sparklance.dataset.backfill

import io.sparklance.data.FileVersion
import io.sparklance.dataset.scan.FragmentTask
import io.sparklance.dataset.snapshot.DeletionSource
import io.sparklance.dataset.write.{StatisticsKind, WrittenFile}
import io.sparklance.schema.LanceSchema
import io.sparklance.table.Fragment
import io.sparklance.table.WriteId

/** A fragment that is to get a file with values of some columns: what an executor has to know of it.
  *
  * @param fragment its number, files, rows, and which of these are deleted; nothing else is needed
  * @param old reads what the columns have now, deleted rows included, if rows may keep it; none if the columns are new
  */
final case class ColumnsTask(
    fragment: Fragment,
    physicalRows: Long,
    deletion: Option[DeletionSource],
    old: Option[FragmentTask]
) {
  def id: Long = fragment.id
}

/** How all such files of one job are written.
  *
  * @param columns those that the files have
  */
final case class ColumnsFormat(
    columns: LanceSchema,
    version: FileVersion,
    pageBytes: Long,
    write: WriteId,
    compression: Option[String] = None,
    statistics: StatisticsKind = StatisticsKind.Zones
)

/** A fragment whose file is complete.
  *
  * @param changed which of its rows were given values: a Roaring bitmap of their offsets, as transactions have it; empty if that
  *   goes without saying
  */
final case class FilledFragment(id: Long, file: WrittenFile, changed: Array[Byte] = Array.emptyByteArray)
