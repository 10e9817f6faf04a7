package io.sparklance.spark.schemachange

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

import io.sparklance.RetryableCommitConflictException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.schemachange.{ColumnFileTask, SchemaChangeOperation}
import io.sparklance.dataset.write.{RewriteSettings, WrittenFile}
import io.sparklance.spark.history.Statement
import io.sparklance.spark.options.LanceOptions
import io.sparklance.spark.session.{Counted, Session, TableLocation}
import io.sparklance.spark.write.{DataFiles, LanceDataWriter, TaskBytes, UncommittedFiles}
import io.sparklance.table.WriteId
import io.sparklance.table.transaction.Operation

/** Commits a change of schema or properties as one version. Checks for conflicts since the version that the
  * change was planned on, and plans it again if concurrent commits changed what it depends on.
  */
private[spark] object AlterTableCommit {

  /** Number of attempts. */
  private val Attempts = 10

  def columns(location: TableLocation, statement: Statement)(plan: Dataset => SchemaChange): Unit =
    attempt(Dataset.open(location.store, location.root), Attempts) { dataset =>
      val alteration = plan(dataset)
      SchemaChangeOperation.refuseUnwritable(dataset, alteration.schema, alteration.defaults.keySet)
      val job = new ColumnFilesJob(location, dataset)
      job.run(alteration.tasks(dataset, job.write)) { files =>
        SchemaChangeOperation.operation(
          dataset,
          alteration.schema,
          files
        ).foreach(statement.commit(dataset, _))
      }
    }

  def properties(location: TableLocation, statement: Statement, operation: Operation): Unit =
    attempt(Dataset.open(location.store, location.root), Attempts) { dataset =>
      val _ = statement.commit(dataset, operation)
    }

  @tailrec
  private def attempt(dataset: Dataset, left: Int)(body: Dataset => Unit): Unit =
    Try(body(dataset)) match {
      case Success(_) => ()
      case Failure(lost: RetryableCommitConflictException) if left > 1 =>
        attempt(dataset.refreshed("ALTER TABLE").getOrElse(throw lost), left - 1)(body)
      case Failure(e) => throw e
    }
}

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
      files.commit(publish(done.flatMap(one => one.fragments.map(_ -> one.file))))
      if (done.exists(_.isRepeated) || Session.speculates)
        DataFiles.removeOthers(location, write, done.map(_.file))
    }

  private def written(tasks: Vector[ColumnFileTask]): Vector[WrittenColumns] = {
    val limits = LanceOptions.sessionWrite.limits
    val settings = RewriteSettings(limits.bufferBytes, limits.compression, limits.statistics)
    val table = location.forTasks(dataset)
    val title =
      s"lance $location version ${dataset.version}, columns of ${Counted(tasks.flatMap(_.fragmentIds).size, "fragment")}"
    TaskBytes.job(title, tasks)(WrittenColumns.of(_, table, settings))
  }
}

/** A column file that a task has written.
  *
  * @param fragments
  *   the ids of the fragments that it is for
  * @param isRepeated
  *   whether the task ran before
  */
final private case class WrittenColumns(fragments: Vector[Long], file: WrittenFile, isRepeated: Boolean)

private object WrittenColumns {
  def of(task: ColumnFileTask, table: TableLocation, settings: RewriteSettings): WrittenColumns = {
    val file = task.write(table.store, table.root, settings)
    WrittenColumns(task.fragmentIds, file, LanceDataWriter.isRepeated)
  }
}
