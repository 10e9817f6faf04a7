package io.sparklance.dataset.scan

import scala.util.Using

import io.sparklance.data.RowRange
import io.sparklance.dataset.statistics.ColumnStatistics
import io.sparklance.io.{IoScheduler, ObjectStore}
import io.sparklance.schema.Leaf

/** A zone whose statistics a data file has.
  *
  * @param rows
  *   its rows in the fragment
  * @param index
  *   its number in the statistics
  */
final private[sparklance] case class ToldZone(rows: RowRange, statistics: ColumnStatistics, index: Int)

private[sparklance] object ToldZone {

  /** Returns the zones of a leaf all of whose rows a task reads; none without statistics. Reads no values. */
  def of(store: ObjectStore, task: FragmentTask, leaf: Leaf): Vector[ToldZone] =
    Using.resource(new FileReaders(store, IoScheduler.shared.task(store.profile), 0)) { readers =>
      val stretches = StoredStatistics.of(task, Vector(leaf), readers)(leaf.field.id)
      for {
        (column, origin) <- stretches.zip(stretches.scanLeft(0L)(_ + _.rows))
        index <- (0 until column.zones).toVector
        rows = column.zone(index).relativeTo(-origin)
        if task.rows.intersect(rows).count == rows.length
      } yield ToldZone(rows, column, index)
    }
}
