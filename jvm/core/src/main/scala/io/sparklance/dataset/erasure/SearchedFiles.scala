package io.sparklance.dataset.erasure

import scala.util.{Failure, Success, Try, Using}

import io.sparklance.dataset.cleanup.TableFile
import io.sparklance.io.{FileEntry, ObjectStore, StorePath}

/** A file that is searched for texts of erased rows.
  *
  * @param path
  *   absolute
  * @param isLance
  *   whether its values are decoded; otherwise its bytes are compared
  * @param isOwn
  *   whether it is of a kind that clean-up removes if no version refers to it
  */
final private[sparklance] case class SearchedFile(
    path: String,
    size: Long,
    modifiedMillis: Long,
    isLance: Boolean,
    isOwn: Boolean
) {

  /** Whether one of the texts is in it. A Lance file that cannot be read is compared byte by byte. */
  def has(store: ObjectStore, sought: Sought): Boolean =
    if (!isLance) hasBytes(store, sought)
    else
      Try(FileTexts.contain(store, path, size, sought.values)) match {
        case Success(found) => found
        case Failure(_) => hasBytes(store, sought)
      }

  private def hasBytes(store: ObjectStore, sought: Sought): Boolean =
    store.exists(path) && Using.resource(store.open(path))(sought.bytes.isIn)
}

/** @param values
  *   are compared with whole values
  * @param bytes
  *   are sought in bytes, and do not occur in names and settings of the table
  */
final private[sparklance] case class Sought(values: SoughtTexts, bytes: SoughtTexts)

private[sparklance] object SearchedFiles {

  /** Returns the files below a table's main root, those of branches included, except data files of versions,
    * whose rows are read by their versions, files of deletions, which have positions only, and files of
    * indices that have parts of texts.
    *
    * @param known
    *   names of data files of versions
    */
  def in(store: ObjectStore, main: String, known: Set[String]): Vector[SearchedFile] = {
    val files = Vector.newBuilder[SearchedFile]
    store.walk(main) { entry =>
      val parts = entry.name.split('/').toVector
      if (!isKnown(parts, known) && !parts.contains("_deletions") && !hasParts(parts)) {
        val isLance = parts.last.endsWith(".lance")
        val isOwn = this.isOwn(parts, entry)
        files +=
          SearchedFile(StorePath.join(main, entry.name), entry.size, entry.modifiedMillis, isLance, isOwn)
      }
    }
    files.result()
  }

  /** @param parts parts of a path below the main root, where branches are in `tree` */
  private def isOwn(parts: Vector[String], entry: FileEntry): Boolean = {
    val at = parts.indexWhere(TableFile.directories.contains(_))
    (at == 0 || at > 0 && parts.head == "tree") && at < parts.size - 1 &&
    TableFile.of(parts(at), entry.copy(name = parts.drop(at + 1).mkString("/"))).isDefined
  }

  private def isKnown(parts: Vector[String], known: Set[String]): Boolean =
    parts.dropRight(1).contains("data") &&
      (known(parts.last) || parts.last.endsWith(".blob") && known(s"${parts(parts.size - 2)}.lance"))

  /** Whether a file has tokens or n-grams of texts: whole texts would be found by chance only. */
  private def hasParts(parts: Vector[String]): Boolean =
    parts.contains("_indices") && Partial.exists(parts.last.contains(_))

  private val Partial = Vector("token", "posting", "invert", "docs")
}
