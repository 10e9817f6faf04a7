package io.sparklance.dataset.scan

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.order.{RowOrder, TopBound}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.statistics.{ColumnStatistics, ZoneFilter, ZoneRanks}
import io.sparklance.table.deletion.DeletionVector

/** Leaves out, before any value is read, rows that the statistics in the data files say not to be wanted, and
  * tests that all other rows pass.
  *
  * @param statistics
  *   by the ids of the predicate's and the order's leaves
  */
final private class ZonePruner(
    task: FragmentTask,
    deleted: Option[DeletionVector],
    statistics: Map[Int, Vector[ColumnStatistics]]
) {

  private val zones = new ZoneFilter(task.physicalRows, leaf => statistics(leaf.field.id))

  /** @param top receives the best ranks of the rows, if they are known */
  def narrow(wanted: RowRanges, top: Option[TopBound]): NarrowedRows = {
    val passing =
      if (task.predicate == Predicate.Always || wanted.isEmpty) wanted
      else wanted.intersect(zones.rowsOf(task.predicate))
    val test = unproven(passing)
    NarrowedRows(top.fold(passing)(among(passing, test, _)), test)
  }

  /** Returns what is left of the predicate without the operands that are true for all of `rows`. */
  private def unproven(rows: RowRanges): Predicate = {
    val operands = Predicate.conjuncts(task.predicate)
    val left = operands.filterNot(operand => rows.intersect(zones.unproven(operand)).isEmpty)
    if (rows.isEmpty || left.size == operands.size) task.predicate else Predicate.all(left: _*)
  }

  private def among(rows: RowRanges, test: Predicate, top: TopBound): RowRanges = {
    val known = if (rows.isEmpty) Vector.empty else statistics(top.order.leaf.field.id)
    if (known.isEmpty) rows
    else {
      val zones = new ZoneRanks(top.order, known)
      if (passIfNotNull(test, top.order)) zones.rankOf(top.limit, live(rows)).foreach(top.raise)
      rows.intersect(zones.rowsOf(top))
    }
  }

  /** Whether a predicate lets through all rows that are not null in the order's leaf. */
  private def passIfNotNull(test: Predicate, order: RowOrder): Boolean =
    Predicate.conjuncts(test).forall(_ == Predicate.NotNull(order.leaf))

  private def live(rows: RowRanges)(zone: RowRange): Long = {
    val within = rows.intersect(zone)
    within.count - deleted.fold(0L)(vector => within.ranges.iterator.map(vector.deletedIn).sum)
  }
}

/** Rows that may be wanted.
  *
  * @param test
  *   the predicate without operands that are true for all of them
  */
final private case class NarrowedRows(rows: RowRanges, test: Predicate)
