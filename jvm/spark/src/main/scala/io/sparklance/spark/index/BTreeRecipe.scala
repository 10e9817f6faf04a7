package io.sparklance.spark.index

import scala.reflect.ClassTag

import org.apache.spark.TaskContext
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{Dataset, Encoder, Encoders, SparkSession}

import io.sparklance.index.IndexKind
import io.sparklance.index.build._
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.spark.write.TaskBytes

/** Builds B-trees: Spark shuffles keys and addresses by ranges of keys and sorts each range, and a task
  * writes each range to a file.
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
    case Some(keys: NumberIndexKeys) =>
      build(work, keys)(Encoders.tuple(Encoders.LONG, Encoders.scalaLong))
    case Some(keys: ByteIndexKeys) => build(work, keys)(Encoders.tuple(Encoders.BINARY, Encoders.scalaLong))
    case None => throw new IllegalStateException(s"no keys of ${work.column.field.logicalType}")
  }

  private def build[K <: AnyRef](work: IndexWork, keys: IndexKeys[K])(
      encoder: Encoder[(K, Long)]
  ): Vector[WrittenIndexFile] = {
    val count = ranges.getOrElse(BTreeRecipe.ranges(work.rows))
    val files = BTreeFiles(work.directory, work.column.field, work.files.version, pageRows)
    val write = new BTreeTask(work.forTasks, files, keys, count > 1)
    val written = sorted(rows(work, keys, encoder), count)
      .mapPartitions(rows => write(rows))(Encoders.BINARY)
      .collect()
      .toVector
      .map(TaskBytes.read[(Int, BTreePart[K])](_))
      .sortBy(_._1)
      .map(_._2)
    val store = work.forTasks.store
    val parts = if (written.isEmpty) Vector(BTree.writeEmpty(store, files, keys)) else written
    parts.map(_.file) :+ BTree.writeLookup(store, files, keys, parts, isPartitioned = count > 1)
  }

  private def rows[K <: AnyRef](work: IndexWork, keys: IndexKeys[K], encoder: Encoder[(K, Long)]) = {
    val (location, depth) = (work.forTasks, work.column.path.size - 1)
    val pairs = work.splits.flatMap(KeyedRows.of(location, _, depth, keys))(BTreeRecipe.pairs)
    SparkSession.active.createDataset(pairs)(encoder)
  }

  /** Sorts rows. Ranges divide equal keys by their rows, so that none gets too large; a single range is the
    * same in each attempt of its task.
    */
  private def sorted[K](rows: Dataset[(K, Long)], count: Int): Dataset[(K, Long)] =
    if (count == 1) rows.repartition(1).sortWithinPartitions(col("_1"), col("_2"))
    else rows.repartitionByRange(count, col("_1"), col("_2")).sortWithinPartitions(col("_1"))
}

private[index] object BTreeRecipe {

  /** Number of rows up to which an index is one range, and of a range of large indices. */
  private val SmallRows = 1L << 20
  private val RangeRows = 8L << 20

  def of(settings: IndexSettings): BTreeRecipe = {
    settings.only("zone_size", "num_ranges")
    new BTreeRecipe(
      settings.number("zone_size", 1, Int.MaxValue.toLong).fold(BTree.PageRows)(_.toInt),
      settings.number("num_ranges", 1, 100000).map(_.toInt)
    )
  }

  private def ranges(rows: Long): Int =
    if (rows <= SmallRows) 1
    else math.max(Session.minSplits, math.min(rows / RangeRows + 1, 100000L).toInt)

  private def pairs[K]: ClassTag[(K, Long)] = ClassTag(classOf[(_, _)])
}

/** Writes a range of a B-tree, in a task.
  *
  * @param isPartitioned
  *   whether there are several ranges
  */
final private class BTreeTask[K <: AnyRef](
    location: TableLocation,
    files: BTreeFiles,
    keys: IndexKeys[K],
    isPartitioned: Boolean
) extends Serializable {

  /** Returns the range's number and its part; nothing for an empty range among several. */
  def apply(rows: Iterator[(K, Long)]): Iterator[Array[Byte]] = {
    val task = TaskContext.get()
    if (isPartitioned && !rows.hasNext) Iterator.empty
    else {
      val range = task.partitionId()
      val id = Option.when(isPartitioned)(range.toLong << 32 | task.attemptNumber().toLong)
      val writer = new BTreePartWriter(location.store, files, keys, id)
      try {
        rows.foreach { case (key, number) => writer.append(Option(key), number) }
        Iterator(TaskBytes.of((range, writer.finish())))
      } catch {
        case failure: Throwable =>
          writer.abort()
          throw failure
      }
    }
  }
}
