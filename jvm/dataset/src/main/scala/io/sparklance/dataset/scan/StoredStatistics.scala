package io.sparklance.dataset.scan

import io.sparklance.dataset.statistics.{ColumnStatistics, StatisticsCodec}
import io.sparklance.file.{ColumnRequest, FileReader}
import io.sparklance.schema.Leaf
import io.sparklance.{LanceFormatException, Location}

/** Statistics of a leaf from a fragment's data files. */
private[dataset] object StoredStatistics {

  /** Returns statistics of all rows by the ids of leaves; none where a file has none. A file that was
    * concatenated from others has several. Files are opened side by side.
    */
  def of(
      task: FragmentTask,
      leaves: Vector[Leaf],
      readers: FileReaders
  ): Map[Int, Vector[ColumnStatistics]] = {
    val stored = for {
      leaf <- leaves.distinctBy(_.field.id)
      source <- task.files.find(_.columnOf(leaf.field.id).isDefined)
    } yield source -> leaf
    val known = readers.each(stored.map(_._1).distinct) { (source, reader) =>
      stored.collect { case (`source`, leaf) => leaf.field.id -> of(task, leaf, source, reader) }
    }
    known.flatten.toMap.withDefaultValue(Vector.empty)
  }

  private def of(
      task: FragmentTask,
      leaf: Leaf,
      source: FileSource,
      reader: FileReader
  ): Vector[ColumnStatistics] = {
    val found = for {
      column <- source.columnOf(leaf.field.id).toVector
      bytes <- reader.columnBuffers(ColumnRequest(column, leaf))
      statistics <- LanceFormatException.locating(Location(Some(source.path), Some(leaf.name)))(
        StatisticsCodec.parse(bytes, column, leaf.field.logicalType)
      )
    } yield statistics
    if (found.iterator.map(s => BigInt(s.rows)).sum == task.physicalRows) found else Vector.empty
  }
}
