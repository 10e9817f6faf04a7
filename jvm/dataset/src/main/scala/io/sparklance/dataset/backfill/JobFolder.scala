package io.sparklance.dataset.backfill

import java.security.MessageDigest
import java.util.HexFormat

import scala.util.Try

import io.sparklance.dataset.Dataset
import io.sparklance.io.{ObjectStore, StorePath, WholeFile}
import io.sparklance.schema.SchemaCodec
import io.sparklance.table.transaction.{Operation, OperationCodec, Transaction}
import io.sparklance.table.{Fragment, TablePaths}

/** Records of the fragments that a backfill job has finished, so that an interrupted job can continue:
  * {{{
  * _sparklance/<job>/<kind>-<fragment's number>   a message Transaction: an Update of this fragment
  *   updated_fragments                   number, files and rows; the last file is the one that was written. Rows that the
  *                                       deletion file has may be null in it
  *   updated_fragment_offset_bitmaps     rows with new values, where needed
  * }}}
  * Only such jobs and clean-up read that directory of a table.
  *
  * @param kind
  *   distinguishes jobs that write other columns
  */
final private[sparklance] case class JobFolder(root: String, job: String, kind: String) {
  private def directory: String = StorePath.join(root, TablePaths.JobDirectory, job)
  private def name(fragment: Long): String = s"$kind-$fragment"

  /** Notes that a file is complete. If two attempts of a task write a fragment, the last one's note stays. */
  def note(store: ObjectStore, task: ColumnsTask, filled: FilledFragment): Unit = {
    val fragment = task.fragment.withFile(Dataset.dataFile(filled.file))
    val update =
      Operation.Update.ofColumns(Vector(fragment), filled.file.fieldIds, Map(task.id -> filled.changed))
    val bytes = OperationCodec.encode(Transaction(0, job, update)).toByteArray
    store.put(StorePath.join(directory, name(task.id)), bytes)
  }

  /** The files of these values that are complete, and still there. A fragment that has other files by now has
    * other rows, or other values; one in which deleted rows have come back has rows without values.
    */
  def finished(store: ObjectStore, values: ColumnValues): Vector[FilledFragment] = {
    val notes = store.list(directory).map(_.name).toSet
    val noted = values.tasks.filter(task => notes(name(task.id)))
    val files =
      if (noted.isEmpty) Map.empty[String, Long]
      else store.list(StorePath.join(root, "data")).map(file => file.name -> file.size).toMap
    noted
      .flatMap(task => read(store, values, task))
      .filter(filled => files.get(filled.file.fileName).contains(filled.file.sizeBytes))
  }

  /** The names of all data files that are noted, those included of fragments that have changed since. */
  def files(store: ObjectStore): Set[String] =
    store.list(directory).filter(_.name.startsWith(s"$kind-")).flatMap { note =>
      fragment(store, note.name).flatMap(_.files.lastOption).map(_.path)
    }.toSet

  def remove(store: ObjectStore): Unit = store.deleteTree(directory)

  private def read(store: ObjectStore, values: ColumnValues, task: ColumnsTask): Option[FilledFragment] =
    for {
      update <- update(store, name(task.id))
      noted <- update.message.updatedFragments.headOption.map(Fragment(_))
      file <- noted.files.lastOption
      written = values.written(file.path, file.size.getOrElse(0L), task.physicalRows)
      if noted.filesOnly == task.fragment.withFile(Dataset.dataFile(written)).filesOnly
      if Try(values.dataset.stillDeletes(task.fragment, values.dataset.deletion(noted))).getOrElse(false)
    } yield {
      val changed = update.message.updatedFragmentOffsetBitmaps.get(task.id).map(_.toByteArray)
      FilledFragment(task.id, written, changed.getOrElse(Array.emptyByteArray))
    }

  private def fragment(store: ObjectStore, note: String): Option[Fragment] =
    update(store, note).flatMap(_.message.updatedFragments.headOption).map(Fragment(_))

  /** A note that makes no sense, as one that was cut off, counts for nothing. */
  private def update(store: ObjectStore, note: String): Option[Operation.Update] = Try(
    OperationCodec.decode(WholeFile.read(store, StorePath.join(directory, note)), note).operation
  ).toOption.collect { case update: Operation.Update => update }
}

private[sparklance] object JobFolder {

  /** Whether a job can be called so: it names a directory. */
  def isJob(text: String): Boolean = text.matches("[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")

  /** @param meaning of the values, as far as it is known: what means something else is another kind */
  def of(values: ColumnValues, job: String, meaning: Option[String] = None): JobFolder = {
    val fields = SchemaCodec.encodeFields(values.columns).flatMap(_.toByteArray)
    val how = s"${values.getClass.getSimpleName} ${values.dataset.fileVersion.name} ${meaning.getOrElse("")} "
    JobFolder(values.dataset.root, job, digest(how.getBytes("UTF-8") ++ fields))
  }

  /** A short name for bytes. */
  def digest(bytes: Array[Byte]): String =
    HexFormat.of.formatHex(MessageDigest.getInstance("SHA-256").digest(bytes), 0, 10)
}
