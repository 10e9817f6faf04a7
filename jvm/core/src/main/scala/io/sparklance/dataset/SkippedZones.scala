package io.sparklance.dataset

import io.sparklance.data.RowRanges
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.statistics.ZoneFilter

/** Leaves out, before any value is read, rows that the statistics in the data files say not to pass. */
private object SkippedZones {

  def narrow(task: FragmentTask, wanted: RowRanges, readers: FileReaders): RowRanges =
    if (task.predicate == Predicate.Always || wanted.isEmpty) wanted
    else {
      val known =
        task.predicate.leaves.map(leaf => leaf.field.id -> StoredStatistics.of(task, leaf, readers)).toMap
      wanted.intersect(
        new ZoneFilter(task.physicalRows, leaf => known(leaf.field.id)).rowsOf(task.predicate)
      )
    }
}
