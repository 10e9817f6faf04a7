package io.sparklance.dataset.cleanup

import io.sparklance.io.{FileEntry, StorePath}
import io.sparklance.table.TablePaths

/** Kind of a file to remove. */
sealed private[sparklance] trait FileKind extends Product with Serializable

private[sparklance] object FileKind {
  case object Manifest extends FileKind
  case object Data extends FileKind
  case object Deletion extends FileKind
  case object Transaction extends FileKind
  case object Index extends FileKind

  /** File of a writer that did not finish. */
  case object Temporary extends FileKind
}

/** A file in one of a table's directories that clean-up may remove.
  *
  * @param path
  *   below the table's root
  * @param owner
  *   by what name a version would refer to it; none if no version ever does
  */
final private[dataset] case class TableFile(
    path: String,
    kind: FileKind,
    owner: Option[String],
    size: Long,
    modifiedMillis: Long
)

/** Tells what files are, by their places and names:
  * {{{
  * data/<file>.lance                a data file
  * data/<file>/<number>.blob        blobs of data/<file>.lance
  * _deletions/<name>.arrow|bin      a deletion file
  * _transactions/<name>.txn         a transaction
  * _indices/<uuid>/…                a segment of an index
  * _sparklance/<job>/<name>         what a job has finished that writes columns
  * …/.tmp…                          not complete, in the place where it was to be
  * }}}
  * All others are left alone: manifests are looked after by their versions, and what is none of these is not
  * ours.
  */
private[dataset] object TableFile {

  /** The directories in which such files are. Data files come last, so that a clean-up that ends early leaves
    * rows that tell what else is left of them.
    */
  val directories: Vector[String] =
    Vector("_deletions", "_transactions", "_indices", "_versions", TablePaths.JobDirectory, "data")

  def of(directory: String, entry: FileEntry): Option[TableFile] = {
    def file(kind: FileKind, owner: Option[String]) =
      Some(TableFile(StorePath.join(directory, entry.name), kind, owner, entry.size, entry.modifiedMillis))
    val parts = entry.name.split('/').toVector
    val name = parts.last
    directory match {
      case _ if directory != "_indices" && name.startsWith(".tmp") => file(FileKind.Temporary, None)
      case "data" if name.endsWith(".lance") => file(FileKind.Data, Some(name))
      case "data" if name.endsWith(".blob") && parts.size == 2 =>
        file(FileKind.Data, Some(parts.head + ".lance"))
      case "_deletions" if name.endsWith(".arrow") || name.endsWith(".bin") =>
        file(FileKind.Deletion, Some(name))
      case "_transactions" if name.endsWith(".txn") => file(FileKind.Transaction, Some(name))
      case TablePaths.JobDirectory if parts.size == 2 => file(FileKind.Temporary, None)
      case "_indices" if parts.size > 1 => file(FileKind.Index, Some(parts.head.replace("-", "")))
      case _ => None
    }
  }
}
