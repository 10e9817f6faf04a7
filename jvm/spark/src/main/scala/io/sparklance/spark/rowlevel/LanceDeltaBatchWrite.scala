package io.sparklance.spark.rowlevel

import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.{
  DeltaBatchWrite,
  DeltaWriterFactory,
  PhysicalWriteInfo,
  WriterCommitMessage
}

import io.sparklance.dataset.write.PageCounts
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.{JobDescription, TableLocation}
import io.sparklance.spark.write.{TaskReports, UncommittedFiles, WriteMetrics}
import io.sparklance.table.commit.CommitOutcome

/** Driver side of a row-level operation: one commit makes all of it visible, or nothing. */
final private[spark] class LanceDeltaBatchWrite(
    location: TableLocation,
    spec: DeltaSpec,
    changes: RowLevelCommit
) extends DeltaBatchWrite {
  private val described = new JobDescription(s"lance $location ${changes.title}")
  private var reports = TaskReports.none
  private val uncommitted = new UncommittedFiles(location, spec.write)
  private var committed = Option.empty[CommitOutcome]
  private var pages = PageCounts()

  /** Metrics of the commit; empty before it, and if there was nothing to commit. */
  def metrics: Array[CustomTaskMetric] = WriteMetrics.ofCommit(committed, pages)

  override def createBatchWriterFactory(info: PhysicalWriteInfo): DeltaWriterFactory = translating {
    described.begin()
    reports = TaskReports.of(info)
    LanceDeltaWriterFactory(spec, reports)
  }

  override def useCommitCoordinator(): Boolean = true

  override def commit(messages: Array[WriterCommitMessage]): Unit = translating {
    described.end()
    val all = reports.receive[DeltaMessage](messages)
    if (changes.isDone) { val _ = uncommitted.abandon() }
    else {
      val (fragments, columns) = (all.flatMap(_.rowFiles), all.flatMap(_.columns.map(_.file)))
      pages = PageCounts.of(fragments ++ columns)
      committed =
        uncommitted.settled(fragments, all.exists(_.isRepeated), columns)(changes.publish(all))
    }
  }

  /** Removes all files of the write. The messages do not list all of them: a task may finish a file while the
    * job fails.
    */
  override def abort(messages: Array[WriterCommitMessage]): Unit = translating {
    described.end()
    val _ = uncommitted.abandon()
  }
}
