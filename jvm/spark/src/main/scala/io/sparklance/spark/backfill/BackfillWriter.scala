package io.sparklance.spark.backfill

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.{DataWriter, DataWriterFactory, WriterCommitMessage}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.backfill.{FilledFragment, FragmentColumns}
import io.sparklance.dataset.snapshot.RowAddress
import io.sparklance.spark.errors.SparkErrors
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.write.{
  LanceDataWriter,
  RowAppenders,
  RowBuffer,
  TaskReports,
  WriteMetrics,
  WrittenSoFar
}

final private[backfill] case class BackfillWriterFactory(spec: BackfillSpec, reports: TaskReports)
    extends DataWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] = translating {
    new BackfillWriter(spec, reports)
  }
}

/** Executor side of a backfill: writes one file for each fragment, from all its rows in ascending order of
  * addresses. Complete files are recorded, and later attempts of the job reuse them.
  */
final private[backfill] class BackfillWriter(spec: BackfillSpec, reports: TaskReports)
    extends DataWriter[InternalRow] {
  private val store = spec.location.store
  private val ordinals = spec.ordinals.toArray
  private var finished = Vector.empty[FilledFragment]
  private var current: FragmentColumns = _
  private var appenders: RowAppenders = _

  // Consecutive rows are buffered, then appended together.
  private val waiting =
    new RowBuffer(math.min(LanceDataWriter.WaitingBytes, spec.format.pages.buffered / 8).toInt)
  private var mostWaiting = 0L

  /** Number of rows received from Spark, and number of those in files. */
  private var received, written = 0L

  /** Address after that of the last row, if it is in the same fragment. */
  private var expected = BackfillWriter.None

  override def write(row: InternalRow): Unit =
    try append(row)
    catch SparkErrors.translation

  private def append(row: InternalRow): Unit = {
    received += 1
    if (row.isNullAt(spec.address)) throw BackfillWriter.nowhere
    val address = row.getLong(spec.address)
    if (current == null || address != expected) moveTo(address)
    row match {
      case bytes: UnsafeRow if bytes.getSizeInBytes <= waiting.capacity =>
        if (!waiting.hasRoomFor(bytes)) appendWaiting()
        waiting.add(bytes)
        expected += 1
        if (waiting.length >= mostWaiting) appendWaiting()
      case _ =>
        appendWaiting()
        appenders.append(row)
        expected += 1
        appended(1)
    }
  }

  private def appendWaiting(): Unit = if (waiting.length > 0) {
    appenders.appendAll(waiting)
    val count = waiting.length
    waiting.clear()
    appended(count)
  }

  private def appended(rows: Int): Unit = {
    current.rowsWritten(rows)
    written += rows
    if (current.next == current.task.physicalRows) finish() else mostWaiting = current.rowsUntilFull
  }

  private def moveTo(address: Long): Unit = {
    appendWaiting()
    val (fragment, offset) = (RowAddress.fragment(address), RowAddress.offset(address))
    if (current != null && current.task.id != fragment) finish()
    if (current == null) open(fragment, address)
    if (offset >= current.task.physicalRows) throw BackfillWriter.foreign(address)
    if (offset < current.next) throw BackfillWriter.twice(address)
    current.skipTo(offset)
    mostWaiting = current.rowsUntilFull
    expected = address
  }

  private def open(fragment: Long, address: Long): Unit = {
    if (finished.exists(_.id == fragment)) throw BackfillWriter.twice(address)
    val task = spec.tasks.getOrElse(fragment, throw BackfillWriter.foreign(address))
    current = new FragmentColumns(store, spec.location.root, task, spec.format)
    appenders = new RowAppenders(spec.format.columns.fields, current.columns, ordinals, current.blobs)
  }

  private def finish(): Unit = {
    val filled = current.finish()
    spec.folder.note(store, current.task, filled)
    finished :+= filled
    current = null
    expected = BackfillWriter.None
  }

  override def commit(): WriterCommitMessage = translating {
    appendWaiting()
    if (current != null) finish()
    reports.send(BackfillMessage(finished, written, LanceDataWriter.isRepeated), received)
  }

  override def abort(): Unit = translating {
    if (current != null) current.abort()
    current = null
  }

  override def close(): Unit = ()

  override def currentMetricsValues(): Array[CustomTaskMetric] = {
    val open = Option(current)
    WriteMetrics.ofTask(
      WrittenSoFar(
        finished.map(_.file.rows).sum + open.fold(0L)(_.next) + waiting.length,
        finished.map(_.file.sizeBytes).sum + open.fold(0L)(_.bytesWritten) + waiting.sizeInBytes,
        finished.size.toLong + open.size
      )
    )
  }
}

private object BackfillWriter {

  /** Not the address of any row. */
  final private val None = Long.MinValue

  private def nowhere = new LanceUsageException(
    "A row with values of columns has no address: its _rowaddr is NULL, or no row of the table has its " +
      "_rowid. Take both from the version that you write to. Nothing was committed."
  )

  private def foreign(address: Long) = new LanceUsageException(
    s"A row with values of columns has the _rowaddr $address (row ${RowAddress.offset(address)} of " +
      s"fragment ${RowAddress.fragment(address)}), which does not exist in the version that you write " +
      "to. Take addresses from that version: compaction, for example, changes them. Nothing was " +
      "committed."
  )

  private def twice(address: Long) = new LanceUsageException(
    s"Two rows have values of columns for the same row of the table: row ${RowAddress.offset(address)} " +
      s"of fragment ${RowAddress.fragment(address)} (_rowaddr $address). Keep one of them, for example " +
      "with dropDuplicates, or make the keys unique. Nothing was committed."
  )
}
