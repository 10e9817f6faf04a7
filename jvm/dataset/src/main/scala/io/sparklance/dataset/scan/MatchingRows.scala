package io.sparklance.dataset.scan

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.snapshot.{RowAddress, Snapshot}
import io.sparklance.io.Concurrently

/** Finds the rows of a table that a predicate lets through, here and now: some fragments at the same time,
  * and of each only the columns of the predicate.
  */
private[sparklance] object MatchingRows {
  final private val BatchRows = 4096

  /** Their addresses. */
  def of(snapshot: Snapshot, predicate: Predicate): RowRanges = {
    val tasks = ScanPlan
      .splits(snapshot, Vector.empty, SplitTarget.Rows(Long.MaxValue), predicate = predicate)
      .flatMap(_.tasks)
    val threads = Runtime.getRuntime.availableProcessors()
    val found = Concurrently.map(tasks, threads)(rows(snapshot, _))
    RowRanges.of(found.flatMap(_.ranges))
  }

  private def rows(snapshot: Snapshot, task: FragmentTask): RowRanges = {
    val first = RowAddress.first(task.fragmentId)
    val reader = FragmentReader.open(snapshot.store, task, BatchRows)
    try {
      val ranges = Vector.newBuilder[RowRange]
      var (start, end) = (first, first)
      while (reader.next()) {
        var i = 0
        while (i < reader.rowCount) {
          val row = first + reader.position(i)
          if (row != end) {
            ranges += RowRange(start, end)
            start = row
          }
          end = row + 1
          i += 1
        }
      }
      RowRanges.of((ranges += RowRange(start, end)).result().filterNot(_.isEmpty))
    } finally reader.close()
  }
}
