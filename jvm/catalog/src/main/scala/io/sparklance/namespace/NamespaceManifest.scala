package io.sparklance.namespace

import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec
import scala.util.{Failure, Random, Success, Try, Using}

import io.sparklance.data.{ColumnCopy, FileVersion}
import io.sparklance.dataset.scan.{ScanPlan, SplitReader, SplitTarget}
import io.sparklance.dataset.write.{FragmentWriter, WriteSchema, WrittenFile}
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.table.WriteId
import io.sparklance.table.commit.Backoff
import io.sparklance.{
  CommitConflictException,
  LanceFormatException,
  LanceTableNotFoundException,
  Location,
  RetryableCommitConflictException,
  UnsupportedLanceFeatureException
}

/** The Lance table that lists a directory's namespaces, and the locations of the tables in them. Each change
  * rewrites it on the version that was read, or retries, as pylance does. Old versions stay, as in pylance:
  * software that has one open looks only for the next version to learn of newer ones.
  */
final private[namespace] class NamespaceManifest(store: ObjectStore, directory: String) {
  import NamespaceManifest._

  val root: String = StorePath.join(directory, Name)

  /** Returns all entries; none if the table does not exist. */
  def entries: Vector[NamespaceEntry] = find().fold(Vector.empty[NamespaceEntry])(entriesOf)

  /** Applies `edit` to the entries. Creates the table if necessary. After a lost commit race `edit` is called
    * again.
    */
  def change(edit: Vector[NamespaceEntry] => NamespaceEdit): Unit = {
    if (find().isEmpty) create()
    attempt(edit, 0)
  }

  @tailrec
  private def attempt(edit: Vector[NamespaceEntry] => NamespaceEdit, attempts: Int): Unit = {
    val dataset = Dataset.open(store, root)
    checkReadable(dataset)
    checkFlags(dataset, "lance.namespace.manifest.writer_feature_flags")
    val wanted = edit(entriesOf(dataset))
    if (wanted.isEmpty) ()
    else
      Try(write(dataset, wanted)) match {
        case Success(_) => ()
        case Failure(_: RetryableCommitConflictException) if attempts < MaxAttempts =>
          Thread.sleep(Backoff.delayMillis(attempts, 20, Random))
          attempt(edit, attempts + 1)
        case Failure(other) => throw other
      }
  }

  private def write(dataset: Dataset, edit: NamespaceEdit): Unit = {
    val writer = new FragmentWriter(store, root, dataset.schema, dataset.fileVersion)
    val files =
      try {
        batches(dataset) { (rows, reader) =>
          val entries = rows.read(reader.columns, reader.rowCount).toMap
          Vector.range(0, reader.rowCount).filterNot(entries.get(_).exists(edit.removed)).foreach { row =>
            entries.get(row).flatMap(edit.changed.get) match {
              case Some(entry) => rows.appendChanged(entry, reader.columns, row, writer.columns)
              case None =>
                writer.columns.zip(reader.columns).foreach { case (to, from) =>
                  ColumnCopy.append(from, row, row + 1, to)
                }
            }
            writer.rowWritten()
          }
        }
        val rows = new EntryRows(dataset.schema.fields)
        edit.added.foreach { entry =>
          rows.append(entry, writer.columns)
          writer.rowWritten()
        }
        Vector(writer.finish())
      } catch {
        case e: Throwable =>
          writer.abort()
          throw e
      }
    committed(dataset, files)
  }

  private def committed(dataset: Dataset, files: Vector[WrittenFile]): Unit =
    try { val _ = dataset.commitNext(dataset.refilling(files.filter(_.rows > 0))) }
    catch {
      case e @ (_: CommitConflictException | _: LanceTableNotFoundException) =>
        files.foreach(file => WriteId.removeFile(store, root, file.fileName))
        throw e
    }

  private def create(): Unit =
    try {
      val schema = WriteSchema.forVersion(EntryRows.schema, FileVersion.default)
      val _ = Dataset.create(store, root, TableDefinition(schema, FileVersion.default), Vector.empty)
    } catch {
      // Another writer created it meanwhile.
      case _: RetryableCommitConflictException => ()
    }

  private def find(): Option[Dataset] =
    try {
      val dataset = Dataset.open(store, root)
      checkReadable(dataset)
      Some(dataset)
    } catch { case _: LanceTableNotFoundException => None }

  private def checkReadable(dataset: Dataset): Unit =
    checkFlags(dataset, "lance.namespace.manifest.reader_feature_flags")

  /** Refuses feature flags that this version does not know. */
  private def checkFlags(dataset: Dataset, key: String): Unit =
    dataset.manifest.tableMetadata.get(key).filterNot(_ == "0").foreach { flags =>
      throw new UnsupportedLanceFeatureException(s"$key = $flags", Location(file = Some(root)))
    }

  private def entriesOf(dataset: Dataset): Vector[NamespaceEntry] = {
    val known = lastRead.get.filter(_.isOf(dataset))
    known.getOrElse {
      val found = Vector.newBuilder[NamespaceEntry]
      batches(dataset)((rows, reader) => found ++= rows.read(reader.columns, reader.rowCount).map(_._2))
      val read = Read(dataset, found.result())
      lastRead.set(Some(read))
      read
    }.entries
  }

  private def batches(dataset: Dataset)(each: (EntryRows, SplitReader) => Unit): Unit =
    LanceFormatException.locating(Location(file = Some(root))) {
      val fields = dataset.schema.fields
      val rows = new EntryRows(fields)
      ScanPlan.splits(dataset, fields, SplitTarget.Rows(Long.MaxValue)).foreach { split =>
        Using.resource(new SplitReader(store, split, BatchRows)) { reader =>
          while (reader.next()) each(rows, reader)
        }
      }
    }
}

private[namespace] object NamespaceManifest {
  val Name = "__manifest"
  private val MaxAttempts = 20
  private val BatchRows = 4096

  /** The last rows read, because a statement asks several times. Names of data files are never reused, so
    * equal fragments have equal rows.
    */
  private val lastRead = new AtomicReference[Option[Read]](None)

  final private case class Read(from: Dataset, entries: Vector[NamespaceEntry]) {
    def isOf(dataset: Dataset): Boolean =
      from.root == dataset.root && from.fragments.nonEmpty && from.fragments == dataset.fragments
  }
}

/** A change of entries.
  *
  * @param changed
  *   entries with their new values
  */
final private[namespace] case class NamespaceEdit(
    removed: Set[NamespaceEntry] = Set.empty,
    changed: Map[NamespaceEntry, NamespaceEntry] = Map.empty,
    added: Vector[NamespaceEntry] = Vector.empty
) {
  def isEmpty: Boolean = removed.isEmpty && changed.isEmpty && added.isEmpty
}
