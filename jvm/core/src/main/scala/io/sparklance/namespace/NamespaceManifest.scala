package io.sparklance.namespace

import scala.annotation.tailrec
import scala.util.{Failure, Random, Success, Try, Using}

import io.sparklance.data.{ColumnCopy, FileVersion}
import io.sparklance.dataset._
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.table.commit.Backoff
import io.sparklance.{
  LanceFormatException,
  LanceUsageException,
  Location,
  RetryableCommitConflictException,
  UnsupportedLanceFeatureException
}

/** The Lance table that says which namespaces a directory has, and where the tables in them lie. Each change writes it anew, on
  * the version that was read or not at all, as the reference does.
  */
final private[namespace] class NamespaceManifest(store: ObjectStore, directory: String) {
  import NamespaceManifest._

  private val root = StorePath.join(directory, Name)

  /** All that it lists; nothing if it is not there. */
  def entries: Vector[NamespaceEntry] =
    if (Dataset.exists(store, root)) entriesOf(opened()) else Vector.empty

  /** Changes it as `edit` says of what it lists, which may be asked again when others were faster. It is made if need be. */
  def change(edit: Vector[NamespaceEntry] => NamespaceEdit): Unit = {
    if (!Dataset.exists(store, root)) create()
    attempt(edit, 0)
  }

  @tailrec
  private def attempt(edit: Vector[NamespaceEntry] => NamespaceEdit, attempts: Int): Unit = {
    val dataset = opened()
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
          val gone = rows.read(reader.columns, reader.rowCount).collect {
            case (row, entry) if edit.removed(entry) => row
          }.toSet
          Vector.range(0, reader.rowCount).filterNot(gone).foreach { row =>
            writer.columns.zip(reader.columns).foreach { case (to, from) =>
              ColumnCopy.append(from, row, row + 1, to)
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
      case e: RetryableCommitConflictException =>
        files.foreach(file => WriteId.removeFile(store, root, file.fileName))
        throw e
    }

  private def create(): Unit =
    try {
      val schema = WriteSchema.forVersion(EntryRows.schema, FileVersion.default)
      val _ = Dataset.create(store, root, schema, FileVersion.default, Vector.empty)
    } catch {
      // Somebody else has made it meanwhile.
      case _: LanceUsageException if Dataset.exists(store, root) => ()
    }

  private def opened(): Dataset = {
    val dataset = Dataset.open(store, root)
    checkFlags(dataset, "lance.namespace.manifest.reader_feature_flags")
    dataset
  }

  /** A writer that gives its rows another meaning says so here. */
  private def checkFlags(dataset: Dataset, key: String): Unit =
    dataset.manifest.tableMetadata.get(key).filterNot(_ == "0").foreach { flags =>
      throw new UnsupportedLanceFeatureException(s"$key = $flags", Location(file = Some(root)))
    }

  private def entriesOf(dataset: Dataset): Vector[NamespaceEntry] = {
    val found = Vector.newBuilder[NamespaceEntry]
    batches(dataset)((rows, reader) => found ++= rows.read(reader.columns, reader.rowCount).map(_._2))
    found.result()
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
}

final private[namespace] case class NamespaceEdit(
    removed: Set[NamespaceEntry] = Set.empty,
    added: Vector[NamespaceEntry] = Vector.empty
) {
  def isEmpty: Boolean = removed.isEmpty && added.isEmpty
}
