package io.sparklance.dataset.scan

import io.sparklance.dataset.statistics.{ColumnStatistics, StatisticsCodec}
import io.sparklance.file.ColumnRequest
import io.sparklance.schema.Leaf
import io.sparklance.{LanceFormatException, Location}

/** Statistics of a leaf from a fragment's data files. */
private[dataset] object StoredStatistics {

  /** Returns statistics of all rows, or none. A file that was concatenated from others has several. */
  def of(task: FragmentTask, leaf: Leaf, readers: FileReaders): Vector[ColumnStatistics] = {
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
