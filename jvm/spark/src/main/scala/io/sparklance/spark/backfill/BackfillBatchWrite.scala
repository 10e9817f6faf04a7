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

/** The driver's side of a write of columns: one commit of what tasks bring, and of what attempts of the job
  * before have left.
  */
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

  /** Only if Spark does not bring the rows of a fragment together, though it was told to. */
  private def torn(fragment: Long) = new LanceUsageException(
    s"Rows of fragment $fragment came to several tasks, each of which would have written its columns. Nothing was committed."
  )
}
