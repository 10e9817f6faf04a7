package io.sparklance.spark.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.{
  BatchWrite,
  DataWriter,
  DataWriterFactory,
  PhysicalWriteInfo,
  WriterCommitMessage
}

import io.sparklance.dataset.write.PageCounts
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.JobDescription
import io.sparklance.table.commit.CommitOutcome

/** Driver side of a write: one commit makes the files of all tasks visible, or none. */
final private[sparklance] class LanceBatchWrite(spec: WriteSpec, publication: WriteCommit)
    extends BatchWrite {
  private lazy val isDone = publication.isDone
  private val described = new JobDescription(LanceBatchWrite.title(spec, publication))
  private val uncommitted = new UncommittedFiles(spec.location, spec.write)
  private var reports = TaskReports.none
  private var committed = Option.empty[CommitOutcome]
  private var pages = PageCounts()

  /** Metrics of the commit; empty before it, and if there was nothing to commit. */
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
    committed = uncommitted.settled(files, all.exists(_.isRepeated))(
      publication.inserting(all.flatMap(_.keys)).publish(files)
    )
    committed.foreach(publication.follow)
  }

  /** Removes all files of the write. The messages do not list all of them: a task may finish a file while the
    * job fails.
    */
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

/** Writers that drop their rows, for a batch that is already committed: Spark runs the query all the same. */
final private case class IdleWriterFactory(reports: TaskReports) extends DataWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] = new IdleWriter(reports)
}

final private class IdleWriter(reports: TaskReports) extends DataWriter[InternalRow] {
  override def write(row: InternalRow): Unit = ()
  override def commit(): WriterCommitMessage =
    reports.send(LanceCommitMessage(Vector.empty, isRepeated = false), received = 0)
  override def abort(): Unit = ()
  override def close(): Unit = ()
}
