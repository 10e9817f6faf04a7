package io.sparklance.spark.index

import org.apache.spark.TaskContext

import io.sparklance.dataset.scan.Split
import io.sparklance.index.text.build._
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.spark.write.TaskBytes

/** The jobs that build a full-text index. Tasks read texts and write partitions; if there are many small
  * ones, further tasks join them.
  */
final private[index] class TextJobs(work: IndexWork, form: TextForm, resources: TextResources) {
  private val location = work.forTasks
  private val place = work.files

  def build(): BuiltSegment = {
    val parts = joined(written())
    val metadata = TextMetadata.write(TextJobs.files(place, form), parts.map(_.number))
    BuiltSegment(place.uuid, parts.flatMap(_.files) :+ metadata)
  }

  private def written(): Vector[WrittenPartition] =
    if (work.fragments.isEmpty) Vector.empty
    else {
      val groups = grouped(work.planned(Session.splitTarget))
      val (location, place, form, memory) = (this.location, this.place, this.form, memoryOf(groups.size))
      work.partitions(groups)
        .map(splits => TaskBytes.of(TextJobs.write(location, TextJobs.files(place, form), splits, memory)))
        .collect().toVector.flatMap(TaskBytes.read[Vector[WrittenPartition]](_))
    }

  private def memoryOf(tasks: Int): Long =
    resources.memoryBytes.fold(IndexMemory.textBytes)(_ / tasks)

  /** Divides splits among tasks, in their order. */
  private def grouped(splits: Vector[Split]): Vector[Vector[Split]] = {
    val count = splits.size
    val wanted = resources.tasks.getOrElse(math.max(Session.minSplits, count / TextJobs.SplitsOfTask))
    val tasks = math.max(1, math.min(count, wanted))
    Vector.tabulate(tasks)(i => splits.slice(i * count / tasks, (i + 1) * count / tasks))
  }

  /** Joins neighbours as long as they are small together. */
  private def joined(parts: Vector[WrittenPartition]): Vector[WrittenPartition] =
    if (parts.size <= TextJobs.FewPartitions) parts
    else {
      val (location, place, form) = (this.location, this.place, this.form)
      val (alone, groups) = neighbours(parts).partition(_.size == 1)
      val merged = work.partitions(groups).map { group =>
        Cancelled.check()
        val own =
          PartitionMerge.run(TextJobs.files(place, form), group, TextJobs.number(TaskContext.get(), 0))
        own.files.foreach(Cancelled.check(_, place))
        TaskBytes.of(own)
      }
      alone.flatten ++ merged.collect().toVector.map(TaskBytes.read[WrittenPartition](_))
    }

  private def neighbours(parts: Vector[WrittenPartition]): Vector[Vector[WrittenPartition]] = {
    val most = IndexMemory.textBytes
    parts.foldLeft(Vector.empty[Vector[WrittenPartition]]) { (groups, part) =>
      groups.lastOption.filter { last =>
        (last :+ part).map(_.sizeInBytes).sum <= most &&
        (last :+ part).map(_.documents.toLong).sum <= TextJobs.MostDocuments
      }.fold(groups :+ Vector(part))(last => groups.init :+ (last :+ part))
    }
  }

}

private object TextJobs {

  /** Number of splits of a task, unless there would be fewer tasks than cores. */
  final private val SplitsOfTask = 8

  /** Number of partitions that are left as they are. */
  final private val FewPartitions = 4

  /** Most documents of a joined partition. */
  final private val MostDocuments = 1L << 25

  private def files(place: SegmentPlace, form: TextForm): TextFiles =
    TextFiles(place.store, place.directory, place.version, form)

  /** Numbers partitions by the attempts of tasks that write them. */
  private def number(task: TaskContext, count: Int): Long =
    (task.taskAttemptId() & 0xffffffffL) << 16 | count.toLong

  /** Writes the partitions of some splits, in a task. */
  private def write(
      location: TableLocation,
      files: TextFiles,
      splits: Vector[Split],
      memory: Long
  ): Vector[WrittenPartition] = {
    val task = TaskContext.get()
    val documents = new TextDocuments(files, memory, number(task, _))
    splits.foreach { split =>
      val rows = KeyRanges.open(location, split, depth = 0)
      while (rows.next()) {
        Cancelled.check()
        documents.add(rows)
      }
    }
    documents.finish()
  }
}
