package io.sparklance.spark.write

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

import io.sparklance.spark.rowlevel.RowCounts
import io.sparklance.table.commit.CommitOutcome

/** What Spark's UI shows of a write. Spark makes objects of the classes below by itself, from their names. */
sealed abstract class WriteMetric(override val name: String, override val description: String)
    extends CustomSumMetric {
  private[write] def of(count: Long): CustomTaskMetric = WriteTaskMetric(name, count)
}

/** These two Spark knows by their names, and counts them as its tasks' output. */
final class RecordsWritten extends WriteMetric("recordsWritten", "rows written")
final class BytesWritten extends WriteMetric("bytesWritten", "bytes written")

final class FilesWritten extends WriteMetric("filesWritten", "files written")
final class CommitAttempts extends WriteMetric("commitAttempts", "commit attempts")

/** Of statements that change rows. */
final class RowsInserted extends WriteMetric("rowsInserted", "rows inserted")
final class RowsUpdated extends WriteMetric("rowsUpdated", "rows updated")
final class RowsDeleted extends WriteMetric("rowsDeleted", "rows deleted")

private[spark] object WriteMetrics {
  private val records = new RecordsWritten
  private val bytes = new BytesWritten
  private val files = new FilesWritten
  private val attempts = new CommitAttempts
  private val (inserted, updated, deleted) = (new RowsInserted, new RowsUpdated, new RowsDeleted)

  def all: Array[CustomMetric] = Array(records, bytes, files, attempts)

  def ofChanges: Array[CustomMetric] = all ++ Array[CustomMetric](inserted, updated, deleted)

  def ofRows(counts: RowCounts): Array[CustomTaskMetric] =
    Array(inserted.of(counts.inserted), updated.of(counts.updated), deleted.of(counts.deleted))

  /** Those of several writers, each of which has all that the first one has. */
  def sums(writers: Vector[Array[CustomTaskMetric]]): Array[CustomTaskMetric] = writers
    .reduceOption((a, b) => a.zip(b).map { case (x, y) => WriteTaskMetric(x.name, x.value + y.value) })
    .getOrElse(Array.empty)

  private[write] def ofTask(written: WrittenSoFar): Array[CustomTaskMetric] =
    Array(records.of(written.rows), bytes.of(written.bytes), files.of(written.files))

  def ofCommit(outcome: Option[CommitOutcome]): Array[CustomTaskMetric] = outcome.toArray.collect {
    case CommitOutcome.Committed(_, attempt) => attempts.of(attempt.toLong)
  }
}

/** What a task has written, its unfinished file included. */
final private[write] case class WrittenSoFar(rows: Long, bytes: Long, files: Long)

final private case class WriteTaskMetric(name: String, value: Long) extends CustomTaskMetric
