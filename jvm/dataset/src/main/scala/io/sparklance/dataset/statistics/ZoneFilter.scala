package io.sparklance.dataset.statistics

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.predicate.{Predicate, ValueTest}
import io.sparklance.schema.Leaf

/** Finds the rows of a fragment for which statistics do not rule a predicate out, or do not prove it.
  *
  * @param rows
  *   number of rows of the fragment
  * @param statistics
  *   statistics of a leaf, file by file, for all rows; empty if there are none
  */
final private[sparklance] class ZoneFilter(rows: Long, statistics: Leaf => Vector[ColumnStatistics]) {

  def rowsOf(predicate: Predicate): RowRanges = predicate match {
    case Predicate.Always => RowRanges(0, rows)
    case Predicate.Never | Predicate.Unknown => RowRanges.empty
    case Predicate.AllOf(operands) =>
      operands.foldLeft(RowRanges(0, rows))((left, operand) =>
        if (left.isEmpty) left else left.intersect(rowsOf(operand))
      )
    case Predicate.AnyOf(operands) =>
      operands.foldLeft(RowRanges.empty)((found, operand) => found.union(rowsOf(operand)))
    case Predicate.IsNull(leaf) => zones(leaf)(_.hasNulls(_))
    case Predicate.NotNull(leaf) => zones(leaf)(_.hasValues(_))
    case Predicate.Passes(leaf, test) => values(leaf, test, ZoneTest.mayPass)
    case Predicate.Fails(leaf, test) => values(leaf, test, ZoneTest.mayFail)
  }

  /** Returns the rows for which the predicate may be false or unknown. */
  def unproven(predicate: Predicate): RowRanges = predicate match {
    case Predicate.Always => RowRanges.empty
    case Predicate.Never | Predicate.Unknown => RowRanges(0, rows)
    case Predicate.AllOf(operands) =>
      operands.foldLeft(RowRanges.empty)((found, operand) => found.union(unproven(operand)))
    case Predicate.AnyOf(operands) =>
      operands.foldLeft(RowRanges(0, rows))((left, operand) =>
        if (left.isEmpty) left else left.intersect(unproven(operand))
      )
    case Predicate.IsNull(leaf) => zones(leaf)(_.hasValues(_))
    case Predicate.NotNull(leaf) => zones(leaf)(_.hasNulls(_))
    case Predicate.Passes(leaf, test) => nullsOr(leaf, test, ZoneTest.mayFail)
    case Predicate.Fails(leaf, test) => nullsOr(leaf, test, ZoneTest.mayPass)
  }

  private def values(leaf: Leaf, test: ValueTest, may: (ZoneFacts, Int, ValueTest) => Boolean): RowRanges =
    zones(leaf)((column, zone) => column.hasValues(zone) && may(column.bounds, zone, test))

  private def nullsOr(leaf: Leaf, test: ValueTest, may: (ZoneFacts, Int, ValueTest) => Boolean): RowRanges =
    zones(leaf)((column, zone) => column.hasNulls(zone) || may(column.bounds, zone, test))

  private def zones(leaf: Leaf)(may: (ColumnStatistics, Int) => Boolean): RowRanges = {
    val known = statistics(leaf)
    if (known.isEmpty) RowRanges(0, rows)
    else
      RowRanges.of(known.zip(known.scanLeft(0L)(_ + _.rows)).flatMap { case (column, origin) =>
        (0 until column.zones).filter(may(column, _)).map { i =>
          val zone = column.zone(i)
          RowRange(zone.start + origin, zone.end + origin)
        }
      })
  }
}
