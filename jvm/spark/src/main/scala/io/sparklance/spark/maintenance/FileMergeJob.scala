package io.sparklance.spark.maintenance

import org.apache.spark.sql.SparkSession

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.compaction.{CompactionOptions, FileMergeTask, FileMerges, MergeOutcome}
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.spark.session.{Counted, JobDescription, TableLocation}
import io.sparklance.spark.write.{DataFiles, TaskBytes, UncommittedFiles}
import io.sparklance.table.WriteId
import io.sparklance.table.transaction.Operation

/** Merges the column files of fragments by a Spark job with a task for each new file. */
final private[maintenance] class FileMergeJob(location: TableLocation) {
  private val write = WriteId.random()
  private val files = new UncommittedFiles(location, write)

  def run(
      dataset: Dataset,
      options: CompactionOptions,
      properties: Operation => Map[String, String]
  ): MergeOutcome = {
    val merges = FileMerges.plan(dataset, options, write)
    if (merges.isEmpty) MergeOutcome(dataset, Vector.empty)
    else
      try {
        val written = run(dataset, merges.flatMap(_.tasks)).iterator
        val done = merges.map(merge => merge.into(merge.tasks.map(_ => written.next())))
        val outcome = files.commit(FileMerges.commit(dataset, done, properties))
        // Files of lost attempts, and of fragments that others changed meanwhile.
        DataFiles.removeOthers(location, write, outcome.done.flatMap(_.added))
        outcome
      } catch {
        case e: Throwable =>
          val _ = files.abandon()
          throw e
      }
  }

  private def run(dataset: Dataset, tasks: Vector[FileMergeTask]): Vector[WrittenFile] = {
    val context = SparkSession.active.sparkContext
    val table = location.forTasks(dataset)
    JobDescription.during(
      context,
      s"lance $location version ${dataset.version}, merge ${Counted(tasks.size, "file")}"
    ) {
      context
        .parallelize(tasks, tasks.size)
        .map(task => TaskBytes.of(task.run(table.store, table.root)))
        .collect()
        .toVector
        .map(TaskBytes.read[WrittenFile](_))
    }
  }
}
