package io.sparklance.spark.write

import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.{
  BatchWrite,
  DataWriterFactory,
  PhysicalWriteInfo,
  WriterCommitMessage
}

import io.sparklance.dataset.write.{PageCounts, WrittenFile}
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.JobDescription
import io.sparklance.table.commit.CommitOutcome

/** The driver's side of a write: tasks bring files, and one commit makes them all visible, or none. */
final private[sparklance] class LanceBatchWrite(spec: WriteSpec, publication: WriteCommit)
    extends BatchWrite {
  private lazy val isDone = publication.isDone
  private val described = new JobDescription(LanceBatchWrite.title(spec, publication))
  private val uncommitted = new UncommittedFiles(spec.location, spec.write)
  private var reports = TaskReports.none
  private var committed = Option.empty[CommitOutcome]
  private var pages = PageCounts()

  /** How the commit has ended, and what was written; nothing before, and where there was nothing to commit.
    */
  def metrics: Array[CustomTaskMetric] = WriteMetrics.ofCommit(committed, pages)

  override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory = translating {
    reports = TaskReports.of(info)
    val factory = if (isDone) IdleWriterFactory(reports) else LanceDataWriterFactory(spec, reports)
    described.begin()
    factory
  }

  override def useCommitCoordinator(): Boolean = true

  override def commit(messages: Array[WriterCommitMessage]): Unit = translating {
    described.end()
    commitAll(reports.receive[LanceCommitMessage](messages))
  }

  private[write] def commitAll(messages: Vector[LanceCommitMessage]): Unit =
    if (isDone) DataFiles.removeAll(spec.location, spec.write) else publish(messages)

  private def publish(all: Vector[LanceCommitMessage]): Unit = {
    val files = all.flatMap(_.files)
    pages = PageCounts.of(files)
    committed = uncommitted.settled(files, all.exists(_.isRepeated))(publication.publish(files))
  }

  /** The messages do not tell of all files: a task may finish one while the job fails. */
  override def abort(messages: Array[WriterCommitMessage]): Unit = translating {
    described.end()
    val _ = uncommitted.abandon()
  }
}

private[write] object LanceBatchWrite {

  /** Names the write in Spark's UI. */
  def title(spec: WriteSpec, publication: WriteCommit): String =
    s"lance ${spec.location} ${publication.title}"
}

/** The files that a task has written.
  *
  * @param isRepeated
  *   whether there was another attempt before, which may have left files if its executor was lost
  */
final private[sparklance] case class LanceCommitMessage(files: Vector[WrittenFile], isRepeated: Boolean)
    extends CountedMessage {
  override def rows: Long = files.map(_.rows).sum
}
