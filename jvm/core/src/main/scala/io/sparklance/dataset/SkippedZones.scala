package io.sparklance.dataset

import io.sparklance.data.RowRanges
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.statistics.{ColumnStatistics, StatisticsCodec, ZoneFilter}
import io.sparklance.file.ColumnRequest
import io.sparklance.schema.Leaf
import io.sparklance.{LanceFormatException, Location}

/** Leaves out, before any value is read, rows that the statistics in the data files say not to pass. */
private object SkippedZones {

  def narrow(task: FragmentTask, wanted: RowRanges, readers: FileReaders): RowRanges =
    if (task.predicate == Predicate.Always || wanted.isEmpty) wanted
    else {
      val known = task.predicate.leaves.map(leaf => leaf.field.id -> statistics(task, leaf, readers)).toMap
      wanted.intersect(
        new ZoneFilter(task.physicalRows, leaf => known(leaf.field.id)).rowsOf(task.predicate)
      )
    }

  /** Of all rows, or none at all. A file has several where it was put together of others. */
  private def statistics(task: FragmentTask, leaf: Leaf, readers: FileReaders): Vector[ColumnStatistics] = {
    val found = for {
      source <- task.files.find(_.columnOf(leaf.field.id).isDefined).toVector
      column <- source.columnOf(leaf.field.id).toVector
      bytes <- readers.of(source).columnBuffers(ColumnRequest(column, leaf))
      statistics <- LanceFormatException.locating(Location(Some(source.path), Some(leaf.name)))(
        StatisticsCodec.parse(bytes, column, leaf.field.logicalType)
      )
    } yield statistics
    if (found.iterator.map(s => BigInt(s.rows)).sum == task.physicalRows) found else Vector.empty
  }
}
