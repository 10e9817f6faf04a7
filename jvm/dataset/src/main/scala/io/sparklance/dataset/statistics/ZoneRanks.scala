package io.sparklance.dataset.statistics

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.order.{RowOrder, SortKeys, TopBound}

/** Finds the rows of a fragment that may be among the first of an order, by statistics.
  *
  * @param statistics
  *   statistics of the order's column, file by file, for all rows
  */
final private[dataset] class ZoneRanks(order: RowOrder, statistics: Vector[ColumnStatistics]) {

  private val zones: Vector[RankedZone] =
    statistics.zip(statistics.scanLeft(0L)(_ + _.rows)).flatMap { case (column, origin) =>
      (0 until column.zones).map(i => ranked(column, i, origin))
    }

  /** Returns the rows whose ranks may be among the first. */
  def rowsOf(bound: TopBound): RowRanges =
    RowRanges.of(zones.filter(zone => bound.admits(zone.greatest)).map(_.rows))

  /** Returns a rank that at least `limit` rows reach, if zones prove one.
    *
    * @param live
    *   number of live rows in a range
    */
  def rankOf(limit: Int, live: RowRange => Long): Option[Long] = {
    val counted = zones.map(zone => zone.least -> math.max(0, live(zone.rows) - zone.unranked))
    val best = counted.filter(_._2 > 0).sortBy { case (least, _) => ~least }
    val sums = best.scanLeft(0L)((sum, zone) => sum + zone._2).tail
    best.zip(sums).collectFirst { case ((least, _), sum) if sum >= limit => least }
  }

  private def ranked(column: ColumnStatistics, zone: Int, origin: Long): RankedZone = {
    val range = column.zone(zone)
    val (least, greatest, nans) = keys(column.bounds, zone)
    val ends = Vector(order.rank(least), order.rank(greatest))
    val values = if (column.hasValues(zone)) ends else Vector.empty
    val others = order.nanRank.filter(_ => nans > 0) ++ Option.when(column.hasNulls(zone))(order.nullRank)
    RankedZone(
      RowRange(range.start + origin, range.end + origin),
      ends.min,
      (values ++ others).max,
      column.nulls(zone).toLong + nans
    )
  }

  /** Returns the key bounds of a zone's values, and its number of NaNs outside of them. */
  private def keys(bounds: ZoneFacts, zone: Int): (Long, Long, Int) = bounds match {
    case ZoneFacts.Unknown => (Long.MinValue, Long.MaxValue, 0)
    case numbers: ZoneFacts.Numbers => (numbers.least(zone), numbers.most(zone), numbers.nans(zone))
    case bytes: ZoneFacts.Bytes =>
      val most = bytes.most(zone) match {
        case ZoneFacts.Unbounded => Long.MaxValue
        case ZoneFacts.AtMost(bytes) => SortKeys.prefix(bytes, 0, bytes.length)
      }
      (SortKeys.prefix(bytes.least(zone), 0, bytes.least(zone).length), most, 0)
  }
}

/** A zone with the range of its ranks in an order.
  *
  * @param least
  *   lowest rank of its rows, except for `unranked` of them
  * @param greatest
  *   highest rank of its rows
  */
final private case class RankedZone(rows: RowRange, least: Long, greatest: Long, unranked: Long)
