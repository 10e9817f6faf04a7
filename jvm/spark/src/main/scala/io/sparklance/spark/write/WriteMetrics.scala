package io.sparklance.spark.write

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}

import io.sparklance.dataset.write.PageCounts
import io.sparklance.spark.session.{AddedJar, SumMetric, TaskMetric}
import io.sparklance.table.commit.CommitOutcome

/** Metrics of a write in Spark's UI. */
sealed abstract private[sparklance] class WriteMetric(name: String, description: String)
    extends SumMetric(name, description)

/** Names that Spark recognizes, and counts as its tasks' output. */
final private[sparklance] class RecordsWritten extends WriteMetric("recordsWritten", "rows written")
final private[sparklance] class BytesWritten extends WriteMetric("bytesWritten", "bytes written")

final private[sparklance] class FilesWritten extends WriteMetric("filesWritten", "files written")
final private[sparklance] class ConstantPages
    extends WriteMetric("constantPages", "pages of one value, or of nulls")
final private[sparklance] class DictionaryPages
    extends WriteMetric("dictionaryPages", "pages with a dictionary")
final private[sparklance] class BitPackedPages extends WriteMetric("bitPackedPages", "bit-packed pages")
final private[sparklance] class RunPages extends WriteMetric("runPages", "pages of runs")
final private[sparklance] class SymbolPages extends WriteMetric("symbolPages", "pages shortened by FSST")
final private[sparklance] class CompressedPages
    extends WriteMetric("compressedPages", "pages compressed by LZ4 or zstd")
final private[sparklance] class PackedStructPages
    extends WriteMetric("packedStructPages", "pages of packed structs")
final private[sparklance] class PlainPages extends WriteMetric("plainPages", "plain pages")
final private[sparklance] class RuntPages
    extends WriteMetric("runtPages", "pages too small for want of writeBufferBytes")
final private[sparklance] class CommitAttempts extends WriteMetric("commitAttempts", "commit attempts")

/** Metrics of statements that change rows. */
final private[sparklance] class RowsInserted extends WriteMetric("rowsInserted", "rows inserted")
final private[sparklance] class RowsUpdated extends WriteMetric("rowsUpdated", "rows updated")
final private[sparklance] class RowsDeleted extends WriteMetric("rowsDeleted", "rows deleted")

private[spark] object WriteMetrics {
  private val records = new RecordsWritten
  private val bytes = new BytesWritten
  private val files = new FilesWritten
  private val attempts = new CommitAttempts
  private val (inserted, updated, deleted) = (new RowsInserted, new RowsUpdated, new RowsDeleted)

  private val pages: Vector[(WriteMetric, PageCounts => Long)] = Vector(
    new ConstantPages -> (_.constant),
    new DictionaryPages -> (_.dictionary),
    new BitPackedPages -> (_.bitPacked),
    new RunPages -> (_.runs),
    new SymbolPages -> (_.symbols),
    new CompressedPages -> (_.compressed),
    new PackedStructPages -> (_.packedStructs),
    new PlainPages -> (_.plain),
    new RuntPages -> (_.runts)
  )

  def all: Array[CustomMetric] =
    AddedJar.loadable(Array[CustomMetric](records, bytes, files, attempts) ++ pages.map(_._1))

  def ofChanges: Array[CustomMetric] =
    all ++ AddedJar.loadable(Array[CustomMetric](inserted, updated, deleted))

  def ofRows(counts: RowCounts): Array[CustomTaskMetric] =
    Array(inserted.of(counts.inserted), updated.of(counts.updated), deleted.of(counts.deleted))

  /** Sums the metrics of several writers, which all have the metrics of the first one. */
  def sums(writers: Vector[Array[CustomTaskMetric]]): Array[CustomTaskMetric] = writers
    .reduceOption((a, b) => a.zip(b).map { case (x, y) => TaskMetric(x.name, x.value + y.value) })
    .getOrElse(Array.empty)

  private[spark] def ofTask(written: WrittenSoFar): Array[CustomTaskMetric] =
    Array(records.of(written.rows), bytes.of(written.bytes), files.of(written.files))

  /** Page counts are reported at the commit only, because Spark does not ask tasks again after their last
    * pages.
    */
  def ofCommit(outcome: Option[CommitOutcome], written: PageCounts): Array[CustomTaskMetric] =
    AddedJar.loadable(outcome.toArray.flatMap {
      case CommitOutcome.Committed(_, attempt, _) =>
        attempts.of(attempt.toLong) +: pages.map { case (metric, count) => metric.of(count(written)) }
      case CommitOutcome.Repeated(_) => Vector.empty
    })
}

/** Returns a task's metrics, including its unfinished file. */
final private[spark] case class WrittenSoFar(rows: Long, bytes: Long, files: Long)
