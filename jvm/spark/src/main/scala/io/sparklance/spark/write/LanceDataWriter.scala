package io.sparklance.spark.write

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.{DataWriter, DataWriterFactory, WriterCommitMessage}

import io.sparklance.dataset.{FragmentWriter, WrittenFile}

final case class LanceDataWriterFactory(spec: WriteSpec) extends DataWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] =
    new LanceDataWriter(spec)
}

/** A task's side of a write: rows into as many files as they fill; no rows, no file. */
final class LanceDataWriter(spec: WriteSpec) extends DataWriter[InternalRow] {
  private val store = spec.location.store
  private val ordinals = spec.ordinals.toArray
  private var finished = Vector.empty[WrittenFile]
  private var current: FragmentWriter = _
  private var appenders: Array[ValueAppender] = Array.empty

  override def write(row: InternalRow): Unit = {
    if (current == null) open()
    var i = 0
    while (i < appenders.length) { appenders(i).append(row, ordinals(i)); i += 1 }
    current.rowWritten()
    if (isFull) finish()
  }

  override def commit(): WriterCommitMessage = {
    if (current != null) finish()
    LanceCommitMessage(finished, LanceDataWriter.isRepeated)
  }

  override def abort(): Unit = {
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
        finished.map(_.rows).sum + open.fold(0L)(_.rowsWritten),
        finished.map(_.sizeBytes).sum + open.fold(0L)(_.bytesWritten),
        finished.size.toLong + open.size
      )
    )
  }

  /** Bytes are not counted after each row, since that takes a look at each column. */
  private def isFull: Boolean = {
    val rows = current.rowsWritten
    rows >= spec.limits.maxRowsPerFile ||
    rows % LanceDataWriter.RowsBetweenLooks == 0 &&
    (current.bytesWritten >= spec.limits.maxBytesPerFile || current.pagesWritten >= LanceDataWriter.MaxPages)
  }

  private def open(): Unit = {
    val pageBytes = FragmentWriter.pageBytes(spec.schema, spec.limits.bufferBytes)
    current = new FragmentWriter(
      store,
      spec.location.root,
      spec.schema,
      spec.version,
      pageBytes,
      spec.write,
      spec.limits.compression
    )
    appenders =
      spec.schema.fields.iterator.zip(current.columns.iterator).map((RowToBlocks.appender _).tupled).toArray
  }

  private def finish(): Unit = {
    finished :+= current.finish()
    current = null
  }
}

private object LanceDataWriter {
  final private val RowsBetweenLooks = 64

  /** Of a file: only those of very many columns have so many, and what is to be said of them takes memory. */
  final private val MaxPages = 1 << 17

  /** Whether Spark has run this task before; there is none in tests. */
  private def isRepeated: Boolean =
    Option(TaskContext.get()).exists(task => task.attemptNumber() > 0 || task.stageAttemptNumber() > 0)
}
