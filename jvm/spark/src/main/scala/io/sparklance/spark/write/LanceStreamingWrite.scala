package io.sparklance.spark.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}
import org.apache.spark.sql.connector.write.{DataWriter, PhysicalWriteInfo, WriterCommitMessage}

import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.Session

/** Driver side of a streaming query. Each epoch is a write of its own, to the table's latest version. It is a
  * batch of the query, so an epoch that Spark repeats after a failure is committed only once.
  */
final private[spark] class LanceStreamingWrite(spec: WriteSpec, publication: Long => WriteCommit)
    extends StreamingWrite {
  private var running = Option.empty[(Long, LanceBatchWrite)]
  private var reports = TaskReports.none

  /** Creates the writers. Spark calls this for each epoch, or once if the query is continuous. */
  override def createStreamingWriterFactory(info: PhysicalWriteInfo): StreamingDataWriterFactory = {
    reports = if (Session.isContinuous) TaskReports.ofEndlessTasks() else TaskReports.of(info)
    LanceStreamingWriterFactory(spec, reports)
  }

  override def useCommitCoordinator(): Boolean = true

  override def commit(epoch: Long, messages: Array[WriterCommitMessage]): Unit = translating {
    writeOf(epoch).commitAll(reports.receive[LanceCommitMessage](messages))
  }

  override def abort(epoch: Long, messages: Array[WriterCommitMessage]): Unit = translating {
    writeOf(epoch).abort(messages)
  }

  /** Returns the write of an epoch. An abort gets the object of the commit before it, which knows the
    * outcome.
    */
  private def writeOf(epoch: Long): LanceBatchWrite =
    running.filter(_._1 == epoch).map(_._2).getOrElse {
      val write = new LanceBatchWrite(spec.ofEpoch(epoch), publication(epoch))
      running = Some(epoch -> write)
      write
    }
}

final private case class LanceStreamingWriterFactory(spec: WriteSpec, reports: TaskReports)
    extends StreamingDataWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long, epoch: Long): DataWriter[InternalRow] =
    translating {
      new LanceDataWriter(spec.ofEpoch(epoch), reports)
    }
}
