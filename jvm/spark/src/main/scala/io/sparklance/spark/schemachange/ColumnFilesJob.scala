package io.sparklance.spark.schemachange

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.schemachange.ColumnFileTask
import io.sparklance.dataset.write.{RewriteSettings, WrittenFile}
import io.sparklance.spark.options.LanceOptions
import io.sparklance.spark.session.{Counted, Session, TableLocation}
import io.sparklance.spark.write.{DataFiles, LanceDataWriter, TaskBytes, UncommittedFiles}
import io.sparklance.table.WriteId

/** Writes column files for fragments of a version, in a Spark job with a task for each fragment, and commits
  * them.
  */
final private[spark] class ColumnFilesJob(location: TableLocation, dataset: Dataset) {
  val write: WriteId = WriteId.random()
  private val files = new UncommittedFiles(location, write)

  /** @param publish commits the files, each with the id of its fragment */
  def run(tasks: Vector[ColumnFileTask])(publish: Vector[(Long, WrittenFile)] => Unit): Unit =
    files.orAbandoned {
      val done = if (tasks.isEmpty) Vector.empty else written(tasks)
      files.commit(publish(done.map(_.file)))
      if (done.exists(_.isRepeated) || Session.speculates)
        DataFiles.removeOthers(location, write, done.map(_.file._2))
    }

  private def written(tasks: Vector[ColumnFileTask]): Vector[WrittenColumns] = {
    val limits = LanceOptions.sessionWrite.limits
    val settings = RewriteSettings(limits.bufferBytes, limits.compression, limits.statistics)
    val table = location.forTasks(dataset)
    val title = s"lance $location version ${dataset.version}, columns of ${Counted(tasks.size, "fragment")}"
    TaskBytes.job(title, tasks)(WrittenColumns.of(_, table, settings))
  }
}

/** @param file
  *   the file, with the id of its fragment
  * @param isRepeated
  *   whether the task ran before
  */
final private case class WrittenColumns(file: (Long, WrittenFile), isRepeated: Boolean)

private object WrittenColumns {
  def of(task: ColumnFileTask, table: TableLocation, settings: RewriteSettings): WrittenColumns = {
    val file = task.write(table.store, table.root, settings)
    WrittenColumns(task.fragmentId -> file, LanceDataWriter.isRepeated)
  }
}
