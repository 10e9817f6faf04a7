package io.sparklance.dataset.backfill

import io.sparklance.data.FileVersion
import io.sparklance.dataset.write.{DataFileFormat, PageSizes, StatisticsKind}
import io.sparklance.schema.LanceSchema
import io.sparklance.table.WriteId

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
