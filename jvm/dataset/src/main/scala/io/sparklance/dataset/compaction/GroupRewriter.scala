package io.sparklance.dataset.compaction

import java.util.IdentityHashMap

import scala.util.control.NonFatal

import io.sparklance.data.{Column, ColumnCopy, ListBlock, StructBlock}
import io.sparklance.dataset.blob.{BlobReader, BlobWriter}
import io.sparklance.dataset.scan.{FieldWidth, FragmentTask, SplitReader}
import io.sparklance.dataset.write.{FileLimits, FragmentWriter, RewriteSettings}
import io.sparklance.io.{Closing, ObjectStore}
import io.sparklance.schema.{Field, LanceSchema}
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

/** Reads the blobs of the fragments of a group. */
final private[compaction] class SourceBlobs(store: ObjectStore, schema: LanceSchema) extends AutoCloseable {
  private val readers: Map[Int, BlobReader] = schema.preOrder.filter(_.isBlob).map { field =>
    field.id -> new BlobReader(_ => store, field)
  }.toMap

  /** Returns the reader of a field with blobs. */
  def of(field: Field): BlobReader = readers(field.id)

  override def close(): Unit = Closing.all(readers.values)
}

/** Copies columns to a new file. Blobs are stored again in the new file, with new descriptors; external blobs
  * stay in place.
  */
final private[compaction] class BlobCopies(source: SourceBlobs, schema: LanceSchema, writer: FragmentWriter)
    extends ColumnCopy {
  private val blobs = new IdentityHashMap[Column, BlobCopy]
  private var task = Option.empty[FragmentTask]
  schema.fields.zip(writer.columns).foreach { case (field, column) => find(field, column) }

  /** Sets the fragment of the next rows. */
  def from(fragment: FragmentTask): Unit = task = Some(fragment)

  override def append(source: Column, from: Int, until: Int, target: Column): Unit =
    Option(blobs.get(target)) match {
      case None => super.append(source, from, until, target)
      case Some(copy) => task.foreach(copy.append(_, source, from, until, target))
    }

  private def find(field: Field, column: Column): Unit =
    if (field.isBlob) {
      val _ = blobs.put(column, new BlobCopy(source.of(field), writer.blobs(field, column)))
    } else
      column.values match {
        case structs: StructBlock => field.children.zip(structs.children).foreach { case (f, c) =>
            find(f, c)
          }
        case lists: ListBlock => find(field.children.head, lists.items)
        case _ => ()
      }
}

final private class BlobCopy(reader: BlobReader, writer: BlobWriter) {
  def append(task: FragmentTask, source: Column, from: Int, until: Int, target: Column): Unit = {
    reader.show(task, source.values)
    var i = from
    while (i < until) {
      if (source.nulls.isNull(i)) target.appendNulls(1)
      else {
        reader.copy(i, writer)
        target.nulls.appendValid(1)
      }
      i += 1
    }
  }
}
