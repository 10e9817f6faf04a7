package io.sparklance.spark.backfill

import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.{
  BatchWrite,
  DataWriterFactory,
  PhysicalWriteInfo,
  WriterCommitMessage
}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.write.PageCounts
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.JobDescription
import io.sparklance.spark.write.{TaskReports, WriteMetrics}

/** Driver side of a backfill: commits the files of all tasks and of earlier attempts in one version. */
final private[backfill] class BackfillBatchWrite(spec: BackfillSpec, job: BackfillJob) extends BatchWrite {
  private val described = new JobDescription(job.title)
  private var pages = PageCounts()
  private var reports = TaskReports.none

  def metrics: Array[CustomTaskMetric] = WriteMetrics.ofCommit(job.outcome, pages)

  override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory = translating {
    described.begin()
    reports = TaskReports.of(info)
    BackfillWriterFactory(spec, reports)
  }

  override def useCommitCoordinator(): Boolean = true

  override def commit(messages: Array[WriterCommitMessage]): Unit = translating {
    described.end()
    val all = reports.receive[BackfillMessage](messages)
    val filled = all.flatMap(_.filled)
    filled.groupBy(_.id).find(_._2.size > 1).foreach { case (id, _) => throw BackfillBatchWrite.torn(id) }
    pages = PageCounts.of(filled.map(_.file))
    job.commit(filled, all.exists(_.isRepeated))
  }

  override def abort(messages: Array[WriterCommitMessage]): Unit = translating {
    described.end()
    job.abandon()
  }
}

private object BackfillBatchWrite {

  /** Error for the case that Spark ignored the required distribution and split a fragment's rows. */
  private def torn(fragment: Long) = new LanceUsageException(
    s"Several tasks received rows of fragment $fragment, so each would have written its columns. Nothing " +
      "was committed."
  )
}
