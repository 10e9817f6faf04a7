package io.sparklance.spark.write

import org.apache.spark.sql.connector.write.{
  BatchWrite,
  DataWriterFactory,
  PhysicalWriteInfo,
  WriterCommitMessage
}

import io.sparklance.dataset.WrittenFile

/** The driver's side of a write: tasks bring files, and one commit makes them all visible, or none. */
final class LanceBatchWrite(spec: WriteSpec, publication: Publication) extends BatchWrite {
  private lazy val isDone = publication.isDone
  private var outcomeUnknown = false

  override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory =
    if (isDone) IdleWriterFactory else LanceDataWriterFactory(spec)

  override def useCommitCoordinator(): Boolean = true

  override def commit(messages: Array[WriterCommitMessage]): Unit = if (!isDone)
    try publication.publish(files(messages)).foreach(DataFiles.settle(spec.location, spec.write, _))
    catch {
      case e: Throwable =>
        outcomeUnknown = !Publication.failedForSure(e)
        throw e
    }

  /** The messages do not tell of all files: a task may finish one while the job fails. */
  override def abort(messages: Array[WriterCommitMessage]): Unit =
    if (!outcomeUnknown) DataFiles.removeAll(spec.location, spec.write)

  private def files(messages: Array[WriterCommitMessage]): Vector[WrittenFile] =
    messages.toVector.collect { case LanceCommitMessage(files) => files }.flatten
}

/** The files that a task has written. */
final case class LanceCommitMessage(files: Vector[WrittenFile]) extends WriterCommitMessage
