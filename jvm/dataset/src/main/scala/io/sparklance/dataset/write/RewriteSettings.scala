package io.sparklance.dataset.write

import io.sparklance.data.FileVersion
import io.sparklance.schema.LanceSchema

/** Settings for new files of any content.
  *
  * @param bufferBytes
  *   approximate bytes of values that a task buffers
  * @param compression
  *   compression of columns whose metadata ask for none
  * @param statistics
  *   kind of statistics in the files
  * @param groups
  *   columns that get files of their own
  */
final private[sparklance] case class RewriteSettings(
    bufferBytes: Long,
    compression: Option[String] = None,
    statistics: StatisticsKind = StatisticsKind.Zones,
    groups: ColumnGroups = ColumnGroups.one
) {

  /** The format of new files. */
  def format(version: FileVersion, schema: LanceSchema): DataFileFormat = {
    val sizes = FragmentWriter.pageSizes(schema, bufferBytes)
    DataFileFormat(version, sizes.buffered, compression, statistics, groups, sizes.joined)
  }
}
