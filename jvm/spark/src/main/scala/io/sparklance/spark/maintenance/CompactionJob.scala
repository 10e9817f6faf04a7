package io.sparklance.spark.maintenance

import org.apache.spark.sql.SparkSession
import org.apache.spark.util.LongAccumulator

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.compaction.{
  Compaction,
  CompactionOptions,
  CompactionOutcome,
  CompactionPlan,
  FileMergeTask,
  FileMerges,
  GroupRewriter,
  MergeOutcome,
  RewriteTask,
  RewrittenFile,
  RewrittenGroup
}
import io.sparklance.dataset.write.{RewriteSettings, WrittenFile}
import io.sparklance.spark.session.{Counted, TableLocation}
import io.sparklance.spark.write.{DataFiles, TaskBytes, UncommittedFiles}
import io.sparklance.table.WriteId
import io.sparklance.table.transaction.Operation

/** Compacts a table by a Spark job with one task for each group of fragments. The commit is checked for
  * conflicts since the version that the groups were planned on.
  */
final private[spark] class CompactionJob(location: TableLocation, settings: RewriteSettings) {
  private val write = WriteId.random()
  private val files = new UncommittedFiles(location, write)

  /** Rewrites groups of fragments, and then merges the files of other fragments: two commits at most. */
  def run(
      dataset: Dataset,
      options: CompactionOptions,
      properties: (Operation, Dataset) => Map[String, String] = (_, _) => Map.empty
  ): CompactionOutcome = {
    val plan = Compaction.plan(dataset, options)
    val rewritten = run(plan, options)(Compaction.commit(dataset, _, properties(_, dataset)))
    val now = rewritten.dataset
    val merged = new FileMergeJob(location).run(now, options.after(rewritten.done), properties(_, now))
    rewritten.copy(dataset = merged.dataset, merged = merged.done)
  }

  /** Rewrites all groups of a plan in one version, or none. */
  def runAll(
      plan: CompactionPlan,
      options: CompactionOptions,
      properties: Operation => Map[String, String]
  ): CompactionOutcome = run(plan, options)(Compaction.commitAll(plan.dataset, _, properties))

  private def run(plan: CompactionPlan, options: CompactionOptions)(
      publish: Vector[RewrittenGroup] => CompactionOutcome
  ): CompactionOutcome =
    if (plan.groups.isEmpty) CompactionOutcome(plan.dataset, Vector.empty)
    else
      files.orAbandoned {
        val done = plan.groups.zip(rewrite(plan, options)).map { case (group, files) => group.into(files) }
        val outcome = files.commit(publish(done))
        // Files of lost attempts, and of groups that others changed meanwhile.
        DataFiles.removeOthers(location, write, outcome.done.flatMap(_.files).map(_.file))
        outcome
      }

  private def rewrite(plan: CompactionPlan, options: CompactionOptions): Vector[Vector[RewrittenFile]] = {
    val tasks = Compaction.tasks(plan, options, write)
    val rows = SparkSession.active.sparkContext.longAccumulator("rows compacted")
    val (table, how) = (location.forTasks(plan.dataset), settings)
    val title =
      s"lance $location version ${plan.dataset.version}, compact ${Counted(tasks.size, "group")} of fragments"
    TaskBytes.job(title, tasks)(CompactionJob.rewrite(table, _, how, rows))
  }
}

private object CompactionJob {
  private def rewrite(
      location: TableLocation,
      task: RewriteTask,
      settings: RewriteSettings,
      rows: LongAccumulator
  ): Vector[RewrittenFile] =
    new GroupRewriter(location.store, location.root, task, settings, n => rows.add(n.toLong)).run()
}

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
      files.orAbandoned {
        val written = run(dataset, merges.flatMap(_.tasks)).iterator
        val done = merges.map(merge => merge.into(merge.tasks.map(_ => written.next())))
        val outcome = files.commit(FileMerges.commit(dataset, done, properties))
        // Files of lost attempts, and of fragments that others changed meanwhile.
        DataFiles.removeOthers(location, write, outcome.done.flatMap(_.added))
        outcome
      }
  }

  private def run(dataset: Dataset, tasks: Vector[FileMergeTask]): Vector[WrittenFile] = {
    val table = location.forTasks(dataset)
    val title = s"lance $location version ${dataset.version}, merge ${Counted(tasks.size, "file")}"
    TaskBytes.job(title, tasks)(_.run(table.store, table.root))
  }
}
