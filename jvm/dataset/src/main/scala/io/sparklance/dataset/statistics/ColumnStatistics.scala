package io.sparklance.dataset.statistics

import io.sparklance.data.RowRange

/** Zone maps of a column, or of a part of one.
  *
  * @param rows
  *   rows of all zones; each but the last has `rowsPerZone`
  * @param nulls
  *   rows of each zone that are null or inside a null struct
  */
final private[sparklance] class ColumnStatistics(
    val rowsPerZone: Int,
    val rows: Long,
    val nulls: Array[Int],
    val bounds: ZoneFacts
) {
  def zones: Int = nulls.length

  def zone(index: Int): RowRange =
    RowRange(index.toLong * rowsPerZone, math.min(rows, (index + 1L) * rowsPerZone))

  def hasNulls(zone: Int): Boolean = nulls(zone) > 0
  def hasValues(zone: Int): Boolean = nulls(zone) < this.zone(zone).length
}

private[sparklance] object ColumnStatistics {

  /** Two batches of the usual size. */
  final val RowsPerZone = 8192
}
