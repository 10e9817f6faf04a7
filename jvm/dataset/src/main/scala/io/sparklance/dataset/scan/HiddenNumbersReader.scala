package io.sparklance.dataset.scan

import scala.util.Using

import io.sparklance.data.{Fixed64Block, RowRanges}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.snapshot.{HiddenColumn, HiddenNumbers, Snapshot}
import io.sparklance.table.Fragment

/** Reads hidden columns with a scan of one fragment. */
private[dataset] object HiddenNumbersReader extends HiddenNumbers {
  final private val BatchRows = 1 << 14

  def read(snapshot: Snapshot, fragment: Fragment, column: HiddenColumn): Array[Long] = {
    val projected = new ProjectedFragments(snapshot, Vector(column.shows.field), Predicate.Always, None)
    val (task, _) = projected.plan(fragment, RowRanges(0, snapshot.physicalRows(fragment)))
    Using.resource(FragmentReader.open(snapshot.store, task.copy(deletion = None), BatchRows)) { reader =>
      val found = Array.newBuilder[Long]
      while (reader.next()) found ++= values(reader)
      found.result()
    }
  }

  private def values(reader: FragmentReader): Array[Long] = reader.columns.head.values match {
    case block: Fixed64Block => block.values.take(reader.rowCount)
    case other => throw new IllegalStateException(s"numbers in a ${other.getClass}")
  }
}
