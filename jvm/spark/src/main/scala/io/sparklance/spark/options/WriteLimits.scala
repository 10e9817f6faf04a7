package io.sparklance.spark.options

import io.sparklance.dataset.write.StatisticsKind

/** Limits on the files of a write, and how their values are stored.
  *
  * @param maxRowsPerFile
  *   rows after which a task starts a new file
  * @param maxBytesPerFile
  *   approximate bytes after which a task starts a new file
  * @param bufferBytes
  *   approximate bytes of values that a task buffers
  * @param compression
  *   compression of columns whose metadata ask for none
  * @param statistics
  *   kind of statistics in the files
  * @param pageBytes
  *   size of pages before compression
  * @param apart
  *   columns with files of their own
  */
final private[sparklance] case class WriteLimits(
    maxRowsPerFile: Long,
    maxBytesPerFile: Long,
    bufferBytes: Long,
    compression: Option[String] = None,
    statistics: StatisticsKind = StatisticsKind.Zones,
    pageBytes: Long = LanceOptions.PageBytes.default,
    apart: SeparateColumns = SeparateColumns.none
)
