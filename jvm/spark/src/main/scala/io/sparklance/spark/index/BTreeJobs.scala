package io.sparklance.spark.index

import org.apache.spark.rdd.RDD

import io.sparklance.dataset.scan.SplitTarget
import io.sparklance.index.build.{BTree, IndexKeys, KeyBounds}
import io.sparklance.spark.write.TaskBytes

/** The ways to sort and write a B-tree.
  *
  * @param pageRows
  *   number of rows of a page
  */
final private[index] class BTreeJobs[K <: AnyRef](work: IndexWork, keys: IndexKeys[K], pageRows: Int) {
  private val location = work.forTasks
  private val depth = work.column.path.size - 1

  /** Lets one task read all rows. */
  def inOneTask(): BuiltSegment = {
    val (task, location, depth) = (this.task(isPartitioned = false), this.location, this.depth)
    val written = ranges(work.inOnePartition.mapPartitions { splits =>
      val range = task.write(KeyLimits(None, None)) { rows =>
        splits.foreach(split => rows.addAll(KeyRanges.open(location, split, depth)))
      }
      Iterator(TaskBytes.of(range))
    })
    segment(parts(written), task)
  }

  /** Lets a task for each split read its rows. Returns None if splits have keys of the same range; files that
    * were written then have no use.
    *
    * @param count
    *   number of splits
    */
  def ofSplits(count: Int, sample: Vector[(K, Long)]): Option[BuiltSegment] = {
    val target = SplitTarget.Rows(math.max(1, (work.rows + count - 1) / count))
    val task = this.task(isPartitioned = true)
    for {
      clustered <- ClusteredSplits.of(work.planned(target), sample, keys)
      written = ofClustered(clustered, task) if !written.contains(BTreeRange.Exceeded)
      sorted <- ClusteredSplits.inOrder(parts(written), keys)
    } yield segment(sorted, task)
  }

  private def ofClustered(clustered: ClusteredSplits[K], task: BTreeTask[K]): Vector[BTreeRange[K]] = {
    val (location, depth) = (this.location, this.depth)
    ranges(work.partitions(clustered.splits.zip(clustered.limits)).map { case (split, limits) =>
      TaskBytes.of(task.write(limits)(_.addAll(KeyRanges.open(location, split, depth))))
    })
  }

  /** Divides rows by bounds and shuffles them. */
  def shuffled(bounds: KeyBounds[K]): BuiltSegment = {
    val task = this.task(isPartitioned = bounds.ranges > 1)
    val (location, depth) = (this.location, this.depth)
    val written = ranges(
      work.splits
        .flatMap(split => new RangedChunks(KeyRanges.open(location, split, depth), bounds))
        .partitionBy(RangePartitions(bounds.ranges))
        .mapPartitions { chunks =>
          val range = task.write(KeyLimits(None, None))(rows => chunks.foreach(chunk => rows.add(chunk._2)))
          Iterator(TaskBytes.of(range))
        }
    )
    segment(parts(written).sortBy(_.number), task)
  }

  private def task(isPartitioned: Boolean) =
    new BTreeTask(work.files, work.column.field, pageRows, keys, isPartitioned)

  private def ranges(written: RDD[Array[Byte]]): Vector[BTreeRange[K]] =
    written.collect().toVector.map(TaskBytes.read[BTreeRange[K]](_))

  private def parts(ranges: Vector[BTreeRange[K]]): Vector[BTreeRange.Written[K]] = ranges.flatMap {
    case written @ BTreeRange.Written(_, _, _) => Some(written)
    case BTreeRange.Empty | BTreeRange.Exceeded => None
  }

  /** Writes the directory of pages. Ranges are in one place; a single range is in that of its attempt. */
  private def segment(written: Vector[BTreeRange.Written[K]], task: BTreeTask[K]): BuiltSegment = {
    val place = written.headOption.fold(work.files)(_.place)
    val files = task.files(place)
    val parts =
      if (written.isEmpty) Vector(BTree.writeEmpty[K](place.store, files)) else written.map(_.part)
    val isPartitioned = task.isPartitioned && written.nonEmpty
    val lookup = BTree.writeLookup(place.store, files, keys, parts, isPartitioned)
    BuiltSegment(place.uuid, parts.map(_.file) :+ lookup)
  }
}
