package io.sparklance.dataset.erasure

import io.sparklance.dataset.cleanup.TableFile
import io.sparklance.io.{FileEntry, ObjectStore, StorePath}

/** The content of a file, as it can be searched. */
sealed private[sparklance] trait SoughtContent extends Product with Serializable

private[sparklance] object SoughtContent {

  /** A Lance file, whose values are decoded. */
  case object Values extends SoughtContent

  /** Anything else, of which bytes are compared. */
  case object Bytes extends SoughtContent

  /** Parts of values, such as tokens, vectors, blobs, or the beginning of a compressed file. */
  case object Parts extends SoughtContent
}

/** Texts of erased rows, for which files are searched.
  *
  * @param values
  *   are compared with whole values
  * @param bytes
  *   are sought in bytes, and do not occur in names and settings of the table
  * @param isOfRows
  *   whether versions or orphans have rows with them; otherwise only the condition names them
  */
final private[sparklance] case class Sought(values: SoughtTexts, bytes: SoughtTexts, isOfRows: Boolean) {
  def isEmpty: Boolean = values.isEmpty && !isOfRows
}

/** Files of which versions speak.
  *
  * @param whole
  *   names of data files all of whose columns a version shows
  * @param others
  *   names of those with columns that none shows any more, as they were dropped or updated
  * @param segments
  *   uuids of segments of indices
  */
final private[sparklance] case class ReferredFiles(
    whole: Set[String],
    others: Set[String],
    segments: Set[String]
) {

  /** Whether a version speaks of a data file. */
  def isKnown(name: String): Boolean = whole(name) || others(name)
}

private[sparklance] object ReferredFiles {
  def of(histories: Vector[TableHistory]): ReferredFiles = {
    val whole = histories.flatMap(_.whole).toSet
    val segments = histories.flatMap(_.versions).flatMap(_.segments).map(_.uuid).toSet
    ReferredFiles(whole, histories.flatMap(_.files).toSet -- whole, segments)
  }
}

private[sparklance] object SearchedFiles {

  /** Returns the files below a table's main root, those of branches included, except data files whose rows
    * are read by their versions, files of deletions, which have positions only, files of versions' indices
    * that have parts of texts, and blobs, which go with their data files.
    *
    * @param orphans
    *   names of data files of which no version speaks
    */
  def in(
      store: ObjectStore,
      main: String,
      referred: ReferredFiles,
      orphans: Set[String]
  ): Vector[SearchedFile] = {
    val isFile = (name: String) => referred.isKnown(name) || orphans(name)
    val files = Vector.newBuilder[SearchedFile]
    store.walk(main) { entry =>
      val parts = entry.name.split('/').toVector
      if (
        !isRead(parts, referred.whole, isFile) && !parts.contains("_deletions") && !hasTokens(parts, referred)
      )
        files += SearchedFile(
          StorePath.join(main, entry.name),
          entry.size,
          entry.modifiedMillis,
          content(parts, referred),
          isOwn(parts, entry)
        )
    }
    files.result()
  }

  /** @param parts parts of a path below the main root, where branches are in `tree` */
  private def isOwn(parts: Vector[String], entry: FileEntry): Boolean = {
    val at = parts.indexWhere(TableFile.directories.contains(_))
    (at == 0 || at > 0 && parts.head == "tree") && at < parts.size - 1 &&
    TableFile.of(parts(at), entry.copy(name = parts.drop(at + 1).mkString("/"))).isDefined
  }

  private def isRead(parts: Vector[String], whole: Set[String], isFile: String => Boolean): Boolean =
    parts.dropRight(1).contains("data") &&
      (whole(parts.last) || parts.last.endsWith(".blob") && isFile(s"${parts(parts.size - 2)}.lance"))

  private def content(parts: Vector[String], referred: ReferredFiles): SoughtContent = {
    val isOfData = parts.dropRight(1).contains("data")
    val isBlob = isOfData && parts.last.endsWith(".blob")
    val isPart = isBlob || isOfData && parts.last.startsWith(".tmp") ||
      segment(parts).exists(!referred.segments(_))
    if (isPart) SoughtContent.Parts
    else if (parts.last.endsWith(".lance")) SoughtContent.Values
    else SoughtContent.Bytes
  }

  /** Whether a file of a version's index has tokens or n-grams of texts: whole texts would be found by chance
    * only.
    */
  private def hasTokens(parts: Vector[String], referred: ReferredFiles): Boolean =
    segment(parts).exists(referred.segments) && Partial.exists(parts.last.contains(_))

  /** Returns the uuid of the segment that a file belongs to, as manifests are read. */
  def segment(path: String): Option[String] = segment(path.split('/').toVector)

  private def segment(parts: Vector[String]): Option[String] = {
    val at = parts.lastIndexOf("_indices")
    Option.when(at >= 0 && at + 2 < parts.length)(parts(at + 1).replace("-", ""))
  }

  private val Partial = Vector("token", "posting", "invert", "docs")
}
