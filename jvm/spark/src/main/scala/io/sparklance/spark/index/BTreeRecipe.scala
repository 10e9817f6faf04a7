package io.sparklance.spark.index

import org.apache.spark.TaskContext

import io.sparklance.index.IndexKind
import io.sparklance.index.build._
import io.sparklance.schema.Field
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

  def build(work: IndexWork): BuiltSegment = IndexKeys.of(work.column.field.logicalType) match {
    case Some(keys: NumberIndexKeys) => build(work, keys)
    case Some(keys: ByteIndexKeys) => build(work, keys)
    case None => throw new IllegalStateException(s"no keys of ${work.column.field.logicalType}")
  }

  private def build[K <: AnyRef](work: IndexWork, keys: IndexKeys[K]): BuiltSegment = {
    val bounds = KeyRanges.of(work, keys, ranges)
    val (location, depth, isPartitioned) = (work.forTasks, work.column.path.size - 1, bounds.ranges > 1)
    val write = new BTreeTask(work.files, work.column.field, pageRows, keys, isPartitioned)
    val written = work.splits
      .flatMap(split => new RangedChunks(KeyedRows.open(location, split, depth), bounds))
      .partitionBy(RangePartitions(bounds.ranges))
      .mapPartitions(chunks => write(chunks.map(_._2)))
      .collect()
      .toVector
      .map(TaskBytes.read[(Int, SegmentPlace, BTreePart[K])](_))
      .sortBy(_._1)
    // Ranges are in one place; a single range is in that of its attempt.
    val place = written.headOption.fold(work.files)(_._2)
    val files = write.files(place)
    val parts =
      if (written.isEmpty) Vector(BTree.writeEmpty(place.store, files, keys)) else written.map(_._3)
    val lookup = BTree.writeLookup(place.store, files, keys, parts, isPartitioned)
    BuiltSegment(place.uuid, parts.map(_.file) :+ lookup)
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
  * @param pageRows
  *   number of rows of a page
  * @param isPartitioned
  *   whether there are several ranges, whose files are named by the attempts that write them
  */
final private class BTreeTask[K <: AnyRef](
    place: SegmentPlace,
    field: Field,
    pageRows: Int,
    keys: IndexKeys[K],
    isPartitioned: Boolean
) extends Serializable {

  def files(in: SegmentPlace): BTreeFiles = BTreeFiles(in.directory, field, in.version, pageRows)

  /** Returns the range's number, its place and its part; nothing for an empty range. */
  def apply(chunks: Iterator[Array[Byte]]): Iterator[Array[Byte]] = if (chunks.isEmpty) Iterator.empty
  else {
    val task = TaskContext.get()
    val range = task.partitionId()
    val id = Option.when(isPartitioned)(range.toLong << 32 | task.taskAttemptId() & 0xffffffffL)
    val own = if (isPartitioned) place else place.ofAttempt(task.taskAttemptId())
    val rows = new SortedKeys(keys, withIds = !isPartitioned)
    task.addTaskCompletionListener[Unit](_ => rows.close())
    chunks.foreach(rows.add)
    val writer = new BTreePartWriter(own.store, files(own), keys, id)
    OneWriter.guarded(writer.abort()) {
      rows.foreach(writer.append)
      Iterator(TaskBytes.of((range, own, writer.finish())))
    }
  }
}
