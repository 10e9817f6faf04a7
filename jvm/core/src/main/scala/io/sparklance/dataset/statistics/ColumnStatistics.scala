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

/** Facts about the valid values of each zone. */
sealed private[sparklance] trait ZoneFacts

private[sparklance] object ZoneFacts {
  case object Unknown extends ZoneFacts

  /** Bounds of numbers, as [[io.sparklance.dataset.predicate.NumberKeys]], without NaNs. If a zone has no
    * other number, `least` is above `most`.
    */
  final class Numbers(
      val least: Array[Long],
      val most: Array[Long],
      val nans: Array[Int],
      val exactness: Exactness
  ) extends ZoneFacts

  /** Bounds of byte strings. No value is less than `least` or above `most`. */
  final class Bytes(val least: Array[Array[Byte]], val most: Array[UpperBound], val exactness: Exactness)
      extends ZoneFacts

  sealed trait UpperBound
  case object Unbounded extends UpperBound
  final case class AtMost(bytes: Array[Byte]) extends UpperBound

  /** Whether the bounds of each zone are known to be values of it, and which. */
  final class Exactness(val least: Array[Boolean], val most: Array[Boolean])
}
