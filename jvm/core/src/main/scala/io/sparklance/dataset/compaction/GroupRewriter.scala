package io.sparklance.dataset.compaction

import scala.util.control.NonFatal

import io.sparklance.dataset.scan.{FieldWidth, SplitReader}
import io.sparklance.dataset.write.{FileLimits, FragmentWriter, RewriteSettings}
import io.sparklance.io.{Closing, ObjectStore}
import io.sparklance.schema.LanceSchema
import io.sparklance.table.WriteId

/** Writes the live rows of a group to new files, in their order. Values are copied as stored, so that no type
  * loses anything.
  *
  * @param progress
  *   called with the number of copied rows
  */
final private[sparklance] class GroupRewriter(
    store: ObjectStore,
    root: String,
    task: RewriteTask,
    settings: RewriteSettings,
    progress: Int => Unit
) {
  private val reader = new SplitReader(store, task.split, GroupRewriter.batchRows(task.schema))
  private val blobs = new SourceBlobs(store, task.schema)
  private var finished = Vector.empty[RewrittenFile]
  private var current: Option[NewFile] = None

  /** Writes and returns the new files; a failure leaves none. */
  def run(): Vector[RewrittenFile] =
    try {
      while (reader.next()) {
        copyBatch()
        progress(reader.rowCount)
      }
      close()
      blobs.close()
      reader.close()
      finished
    } catch {
      case e: Throwable =>
        Closing.after(e, Vector[AutoCloseable](reader, blobs, () => abort()))
        throw e
    }

  private def copyBatch(): Unit = {
    var from = 0
    while (from < reader.rowCount) {
      val file = current.getOrElse(open())
      val n = math.min(reader.rowCount - from, file.room).toInt
      file.append(reader, from, from + n)
      from += n
      if (file.isFull) close()
    }
  }

  private def open(): NewFile = {
    val rows = task.rowsPerFile.lift(finished.size).getOrElse(task.rowsPerFile.head)
    val file = new NewFile(store, root, task, settings, rows, blobs)
    current = Some(file)
    file
  }

  private def close(): Unit = {
    finished ++= current.map(_.finish())
    current = None
  }

  private def abort(): Unit = {
    current.foreach(_.abort())
    finished.flatMap(_.file.all).foreach { file =>
      try WriteId.removeFile(store, root, file.fileName)
      catch { case NonFatal(_) => () }
    }
  }
}

private object GroupRewriter {

  final private val MaxBatchRows = 4096
  final private val BatchBytes = 16 << 20

  /** Returns the physical rows of a batch; batches with large values end sooner. */
  private def batchRows(schema: LanceSchema): Int = {
    val width = math.max(1.0, schema.preOrder.map(FieldWidth.of).sum)
    math.max(1, math.min(MaxBatchRows.toDouble, BatchBytes / width).toInt)
  }
}

/** A new file of a group.
  *
  * @param rows
  *   intended number of rows
  */
final private class NewFile(
    store: ObjectStore,
    root: String,
    task: RewriteTask,
    settings: RewriteSettings,
    rows: Long,
    blobs: SourceBlobs
) {
  private val writer = new FragmentWriter(
    store,
    root,
    task.schema,
    settings.format(task.version, task.schema),
    task.write,
    FileLimits(rows, task.maxBytesPerFile)
  )
  private val copies = new BlobCopies(blobs, task.schema, writer)
  private val lineage = Option.when(task.hasStableRowIds)(new LineageCollector)

  /** Number of rows that can be appended at once. */
  def room: Long = writer.rowsUntilFull

  def isFull: Boolean = writer.isFull

  /** Appends rows `[from, until)` of the reader's batch. */
  def append(reader: SplitReader, from: Int, until: Int): Unit = {
    copies.from(reader.task)
    writer.columns.zip(reader.columns).foreach { case (target, source) =>
      copies.append(source, from, until, target)
    }
    lineage.foreach(_.append(reader.columns.drop(writer.columns.size), from, until, reader.task.fragmentId))
    writer.rowsWritten(until - from)
  }

  def finish(): RewrittenFile = RewrittenFile(writer.finish(), lineage.map(_.finish()))

  def abort(): Unit = writer.abort()
}
