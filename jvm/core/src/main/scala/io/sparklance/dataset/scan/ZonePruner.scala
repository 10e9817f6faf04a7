package io.sparklance.dataset.scan

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.order.{RowOrder, TopBound}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.statistics.{ColumnStatistics, ZoneFilter, ZoneRanks}
import io.sparklance.table.deletion.DeletionVector

/** Leaves out, before any value is read, rows that the statistics in the data files say not to be wanted.
  *
  * @param statistics
  *   by the ids of the predicate's and the order's leaves
  */
final private class ZonePruner(
    task: FragmentTask,
    deleted: Option[DeletionVector],
    statistics: Map[Int, Vector[ColumnStatistics]]
) {

  /** @param top receives the best ranks of the rows, if they are known */
  def narrow(wanted: RowRanges, top: Option[TopBound]): RowRanges = {
    val passing = filtered(wanted)
    top.fold(passing)(among(passing, _))
  }

  private def filtered(wanted: RowRanges): RowRanges =
    if (task.predicate == Predicate.Always || wanted.isEmpty) wanted
    else
      wanted.intersect(
        new ZoneFilter(task.physicalRows, leaf => statistics(leaf.field.id)).rowsOf(task.predicate)
      )

  private def among(rows: RowRanges, top: TopBound): RowRanges = {
    val known = if (rows.isEmpty) Vector.empty else statistics(top.order.leaf.field.id)
    if (known.isEmpty) rows
    else {
      val zones = new ZoneRanks(top.order, known)
      if (passIfNotNull(top.order)) zones.rankOf(top.limit, live(rows)).foreach(top.raise)
      rows.intersect(zones.rowsOf(top))
    }
  }

  /** Whether the predicate lets through all rows that are not null in the order's leaf. */
  private def passIfNotNull(order: RowOrder): Boolean =
    Predicate.conjuncts(task.predicate).forall(_ == Predicate.NotNull(order.leaf))

  private def live(rows: RowRanges)(zone: RowRange): Long = {
    val within = rows.intersect(zone)
    within.count - deleted.fold(0L)(vector => within.ranges.iterator.map(vector.deletedIn).sum)
  }
}
