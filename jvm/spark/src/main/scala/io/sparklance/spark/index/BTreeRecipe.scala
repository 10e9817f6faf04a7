package io.sparklance.spark.index

import org.apache.spark.TaskContext

import io.sparklance.index.IndexKind
import io.sparklance.index.build._
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.write.TaskBytes

/** Builds B-trees: tasks divide keys and addresses into ranges by a sample of the keys, Spark shuffles them,
  * and a task sorts each range and writes it to a file.
  *
  * @param pageRows
  *   number of rows of a page
  * @param ranges
  *   number of ranges, if given
  */
final private[index] class BTreeRecipe(pageRows: Int, ranges: Option[Int])
    extends IndexRecipe(SegmentKind(IndexKind.BTree)) {

  def fits(column: IndexedColumn): Boolean = IndexKeys.of(column.field.logicalType).isDefined

  def takes: String =
    "booleans, numbers, strings, binary values, dates, times, timestamps and durations"

  def build(work: IndexWork): Vector[WrittenIndexFile] = IndexKeys.of(work.column.field.logicalType) match {
    case Some(keys: NumberIndexKeys) => build(work, keys)
    case Some(keys: ByteIndexKeys) => build(work, keys)
    case None => throw new IllegalStateException(s"no keys of ${work.column.field.logicalType}")
  }

  private def build[K <: AnyRef](work: IndexWork, keys: IndexKeys[K]): Vector[WrittenIndexFile] = {
    val bounds = KeyRanges.of(work, keys, ranges)
    val files = BTreeFiles(work.directory, work.column.field, work.files.version, pageRows)
    val (location, depth, isPartitioned) = (work.forTasks, work.column.path.size - 1, bounds.ranges > 1)
    val write = new BTreeTask(location, files, keys, isPartitioned)
    val written = work.splits
      .flatMap(split => new RangedChunks(KeyedRows.open(location, split, depth), bounds))
      .partitionBy(RangePartitions(bounds.ranges))
      .mapPartitions(chunks => write(chunks.map(_._2)))
      .collect()
      .toVector
      .map(TaskBytes.read[(Int, BTreePart[K])](_))
      .sortBy(_._1)
      .map(_._2)
    val parts = if (written.isEmpty) Vector(BTree.writeEmpty(location.store, files, keys)) else written
    parts.map(_.file) :+ BTree.writeLookup(location.store, files, keys, parts, isPartitioned)
  }
}

private[index] object BTreeRecipe {
  def of(settings: IndexSettings): BTreeRecipe = {
    settings.only("zone_size", "num_ranges")
    new BTreeRecipe(
      settings.number("zone_size", 1, Int.MaxValue.toLong).fold(BTree.PageRows)(_.toInt),
      settings.number("num_ranges", 1, 10000).map(_.toInt)
    )
  }
}

/** Writes a range of a B-tree, in a task.
  *
  * @param isPartitioned
  *   whether there are several ranges. A single range has one file name, so that each attempt of its task
  *   must write the same bytes
  */
final private class BTreeTask[K <: AnyRef](
    location: TableLocation,
    files: BTreeFiles,
    keys: IndexKeys[K],
    isPartitioned: Boolean
) extends Serializable {

  /** Returns the range's number and its part; nothing for an empty range. */
  def apply(chunks: Iterator[Array[Byte]]): Iterator[Array[Byte]] = if (chunks.isEmpty) Iterator.empty
  else {
    val task = TaskContext.get()
    val range = task.partitionId()
    val id = Option.when(isPartitioned)(range.toLong << 32 | task.attemptNumber().toLong)
    val rows = new SortedKeys(keys, withIds = !isPartitioned)
    task.addTaskCompletionListener[Unit](_ => rows.close())
    chunks.foreach(rows.add)
    val writer = new BTreePartWriter(location.store, files, keys, id)
    OneWriter.guarded(writer.abort()) {
      rows.foreach(writer.append)
      Iterator(TaskBytes.of((range, writer.finish())))
    }
  }
}
