package io.sparklance.spark.write

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.{DataWriter, DataWriterFactory, WriterCommitMessage}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.write.{DataFileFormat, FileLimits, FragmentWriter, WrittenFile}
import io.sparklance.spark.errors.SparkErrors
import io.sparklance.spark.errors.SparkErrors.translating

final private case class LanceDataWriterFactory(spec: WriteSpec, reports: TaskReports)
    extends DataWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] = translating {
    new LanceDataWriter(spec, reports)
  }
}

/** Executor side of a write: writes rows to as many files as they fill, and no file without rows. */
final private[spark] class LanceDataWriter(spec: WriteSpec, reports: TaskReports)
    extends DataWriter[InternalRow] {
  private val store = spec.location.store
  private val ordinals = spec.ordinals.toArray
  private var finished = Vector.empty[WrittenFile]
  private var current: FragmentWriter = _
  private var appenders: RowAppenders = _

  private val pages =
    FragmentWriter.pageSizes(spec.schema, spec.limits.bufferBytes, spec.limits.pageBytes)
  private val limits = FileLimits(
    spec.limits.maxRowsPerFile,
    spec.limits.maxBytesPerFile,
    LanceDataWriter.MaxPages,
    LanceDataWriter.RowsBetweenChecks
  )
  private val keys = spec.keys.map(new InsertedKeys(_)).orNull
  private val waiting = new RowBuffer(math.min(LanceDataWriter.WaitingBytes, pages.buffered / 8).toInt)

  /** Number of rows that fill the current file. The buffer takes no more, so that the file ends with the last
    * of them.
    */
  private var mostWaiting = 0L

  /** Number of rows received from Spark. */
  private var received = 0L

  /** Buffers small rows in Spark's own format, and appends others at once. */
  override def write(row: InternalRow): Unit =
    try append(row)
    catch SparkErrors.translation

  private def append(row: InternalRow): Unit = {
    received += 1
    if (keys != null) keys.add(row)
    row match {
      case bytes: UnsafeRow if bytes.getSizeInBytes <= waiting.capacity =>
        if (!waiting.hasRoomFor(bytes)) appendWaiting()
        if (current == null) open()
        waiting.add(bytes)
        if (waiting.length >= mostWaiting) appendWaiting()
      case _ =>
        appendWaiting()
        if (current == null) open()
        waiting.pass()
        try appenders.append(row)
        catch { case e: LanceUsageException => throw Fitting.inRow(e, waiting.before) }
        appended(1)
    }
  }

  /** Writes rows that somebody else appends to the columns of the files.
    *
    * @param append
    *   gets a file, the number of rows appended so far, and that of the rows to append
    */
  def fill(rows: Int)(append: (FragmentWriter, Int, Int) => Unit): Unit = {
    appendWaiting()
    var done = 0
    while (done < rows) {
      if (current == null) open()
      val n = math.min(math.min(rows - done, LanceDataWriter.MaxStep), current.rowsUntilFull).toInt
      append(current, done, n)
      appended(n)
      done += n
    }
  }

  private def appendWaiting(): Unit =
    if (waiting.length > 0) {
      appenders.appendAll(waiting)
      val count = waiting.length
      waiting.clear()
      appended(count)
    }

  private def appended(rows: Int): Unit = {
    current.rowsWritten(rows)
    if (current.isFull) finish() else planAppend()
  }

  private def planAppend(): Unit =
    mostWaiting = current.rowsUntilFull

  override def commit(): WriterCommitMessage = translating {
    reports.send(
      LanceCommitMessage(files(), LanceDataWriter.isRepeated, Option(keys).map(_.bitmap)),
      received
    )
  }

  /** Finishes the last file, and returns all. */
  def files(): Vector[WrittenFile] = {
    appendWaiting()
    if (current != null) finish()
    finished
  }

  override def abort(): Unit = translating {
    if (current != null) current.abort()
    current = null
    DataFiles.remove(spec.location, finished)
    finished = Vector.empty
  }

  override def close(): Unit = ()

  override def currentMetricsValues(): Array[CustomTaskMetric] = {
    val open = Option(current)
    WriteMetrics.ofTask(
      WrittenSoFar(
        finished.map(_.rows).sum + open.fold(0L)(_.rowsWritten) + waiting.length,
        finished.flatMap(_.all).map(_.sizeBytes).sum + open.fold(0L)(_.bytesWritten) + waiting.sizeInBytes,
        (finished.flatMap(_.all).size + open.fold(0)(_.fileCount)).toLong
      )
    )
  }

  private def open(): Unit = {
    current = new FragmentWriter(
      store,
      spec.location.root,
      spec.schema,
      DataFileFormat(
        spec.version,
        pages.buffered,
        spec.limits.compression,
        spec.limits.statistics,
        spec.groups,
        pages.joined
      ),
      spec.write,
      limits
    )
    appenders = new RowAppenders(spec.schema.fields, current.columns, ordinals, current.blobs)
    planAppend()
  }

  private def finish(): Unit = {
    finished :+= current.finish()
    current = null
  }
}

private[spark] object LanceDataWriter {
  final private val RowsBetweenChecks = 64L
  final private val MaxStep = 1024L

  /** Size of the row buffer. It fits the processor's cache while rows are appended column by column. */
  final private[spark] val WaitingBytes = 256L << 10

  /** Largest number of pages of a file, since their metadata take memory. Only files with very many columns
    * reach it.
    */
  final private val MaxPages = 1L << 17

  /** Whether Spark has run this task before; false in tests, which have no task. */
  def isRepeated: Boolean =
    Option(TaskContext.get()).exists(task => task.attemptNumber() > 0 || task.stageAttemptNumber() > 0)
}
