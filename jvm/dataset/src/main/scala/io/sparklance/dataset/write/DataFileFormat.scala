package io.sparklance.dataset.write

import io.sparklance.data.FileVersion

/** The encoding of new data files.
  *
  * @param maxPageBytes
  *   of a column in memory; a page of larger values is written at once
  * @param compression
  *   of columns whose own metadata name none, spelled as these would
  * @param statistics
  *   stored in the file
  * @param groups
  *   columns of a fragment that get files of their own
  * @param pageBytes
  *   size of pages, if it is much larger than `maxPageBytes`: their values wait in a temporary local file
  */
final private[sparklance] case class DataFileFormat(
    version: FileVersion,
    maxPageBytes: Long = FragmentWriter.DefaultPageBytes,
    compression: Option[String] = None,
    statistics: StatisticsKind = StatisticsKind.Zones,
    groups: ColumnGroups = ColumnGroups.one,
    pageBytes: Option[Long] = None
)
