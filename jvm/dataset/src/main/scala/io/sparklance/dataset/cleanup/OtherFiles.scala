package io.sparklance.dataset.cleanup

import java.nio.file.NotDirectoryException
import java.util.Locale

import scala.collection.mutable
import scala.util.control.ControlThrowable

import io.sparklance.LanceUsageException
import io.sparklance.io.ObjectStore
import io.sparklance.table.TablePaths

/** The files in a directory that do not belong to a Lance table at its root. Readers of other formats would
  * go on with them, and without the rows of a table that was put beside them.
  *
  * These do not count: files whose names begin with `.` or `_`, which Spark's readers skip (`.DS_Store`,
  * `_SUCCESS`), directories without files, and what a write of a Lance table leaves when it fails.
  *
  * @param counts
  *   how many files there are of each kind
  * @param isFile
  *   whether the path is a file itself
  * @param isCut
  *   whether there may be more
  */
final private[dataset] case class OtherFiles(
    root: String,
    counts: Map[OtherFiles.Kind, Int],
    isFile: Boolean,
    isCut: Boolean
) {
  import OtherFiles._

  def isEmpty: Boolean = counts.isEmpty && !isFile

  /** The verb for them. */
  def are: String = if (isFile || !isCut && counts.values.sum <= 1) "is" else "are"

  /** `12 .parquet files, 1 .csv file` */
  override def toString: String =
    if (isFile) "a file"
    else {
      val (tables, files) = counts.toVector.partition { case (kind, _) => kind.isTable }
      val shown = tables.map(_._1.text).sorted ++
        files.sortBy { case (kind, n) => (-n, kind.text) }.map { case (kind, n) =>
          s"$n ${kind.text} file${if (n == 1) "" else "s"}"
        }
      val all = if (shown.size <= MaxShown) shown else shown.take(MaxShown) :+ "others"
      (if (isCut) "at least " else "") + all.mkString(", ")
    }

  /** The statement that makes a Lance table of them, if Spark can read them. */
  def conversion: Option[String] = {
    val known = counts.toVector.flatMap { case (kind, n) => kind.format.map(_ -> n) }
    val format = if (counts.contains(Delta)) Some("delta") else known.maxByOption(_._2).map(_._1)
    format.filterNot(_ => isFile).map(f =>
      s"CREATE TABLE … USING lance AS SELECT * FROM $f.`${root.replace("`", "``")}`"
    )
  }
}

private[dataset] object OtherFiles {

  /** A kind of files, or a table of them. */
  sealed private[dataset] trait Kind {
    def text: String
    def isTable: Boolean
    def format: Option[String]
  }

  /** Files by how their names end. */
  final case class Ending(ending: String) extends Kind {
    def text: String = if (ending.isEmpty) "other" else s".$ending"
    def isTable: Boolean = false
    def format: Option[String] = ending.split('.').flatMap(formats.get).lastOption
  }

  /** A Lance table in a directory below the root. */
  final case class Inner(directory: String) extends Kind {
    def text: String = s"the Lance table $directory"
    def isTable: Boolean = true
    def format: Option[String] = None
  }

  case object Delta extends Kind {
    def text: String = "the log of a Delta table"
    def isTable: Boolean = true
    def format: Option[String] = None
  }

  /** Spark's formats, by the endings of their files. */
  private val formats = Map(
    "parquet" -> "parquet",
    "orc" -> "orc",
    "avro" -> "avro",
    "csv" -> "csv",
    "json" -> "json",
    "xml" -> "xml",
    "txt" -> "text"
  )

  private val compressions = Set("gz", "bz2", "zst", "lz4", "snappy", "deflate", "xz")

  /** Directories of a Lance table in which all files are its own. */
  private val ownDirectories =
    Set("_versions", "_transactions", "_deletions", "_indices", "_refs", TablePaths.JobDirectory)

  private val MaxShown = 4

  /** Limits of the numbers of files that are counted, and that are visited, including a table's own. */
  private val MaxCounted = 1000
  private val MaxVisited = 20000

  /** Fails if a new table in the directory would lie among files of others. */
  def refuse(store: ObjectStore, root: String): Unit = {
    val found = of(store, root)
    if (!found.isEmpty) {
      val cure =
        found.conversion.fold("")(statement => s", or make a Lance table of them elsewhere: $statement")
      throw new LanceUsageException(
        s"A Lance table cannot be created at $root: the directory has no table, but $found, which would " +
          s"stay beside it. Choose an empty directory$cure."
      )
    }
  }

  def of(store: ObjectStore, root: String): OtherFiles = {
    val counts = mutable.Map.empty[Kind, Int]
    var counted = 0
    var visited = 0
    val isCut =
      try {
        store.walk(root) { file =>
          visited += 1
          kindOf(file.name.split('/').toVector.filter(_.nonEmpty)).foreach { kind =>
            counted += 1
            counts.update(kind, counts.getOrElse(kind, 0) + 1)
          }
          if (counted == MaxCounted || visited == MaxVisited) throw Enough
        }
        false
      } catch { case Enough => true }
    OtherFiles(root, counts.toMap, visited == 0 && isFile(store, root), isCut)
  }

  private object Enough extends ControlThrowable

  private def isFile(store: ObjectStore, root: String): Boolean =
    try {
      val _ = store.directories(root)
      false
    } catch { case _: NotDirectoryException => true }

  /** Returns the kind of a file, or None if it does not count.
    *
    * @param path
    *   path below the root
    */
  private def kindOf(path: Vector[String]): Option[Kind] = {
    val inner = path.indices.indexWhere(isOfLance(path, _))
    if (path.isEmpty || inner == 0 || isHidden(path.last)) None
    else if (path.head == "_delta_log") Some(Delta)
    else if (inner > 0) Some(Inner(path.take(inner).mkString("/")))
    else Some(Ending(ending(path.last)))
  }

  /** Whether the directory `path(at)` is one of a Lance table, with the file in it. */
  private def isOfLance(path: Vector[String], at: Int): Boolean =
    at < path.size - 1 && (ownDirectories(path(at)) || path(at) == "data" && isData(path.last))

  /** Stores may add a number to the name of a file until it is complete. */
  private def isData(name: String): Boolean = name.endsWith(".blob") || name.matches(".*\\.lance(#\\d+)?")

  /** Stores without directories may have files instead. */
  private def isHidden(name: String): Boolean =
    name.startsWith(".") || name.startsWith("_") || name.endsWith("_$folder$")

  private def ending(name: String): String = {
    val parts =
      name.toLowerCase(Locale.ROOT).split('.').toVector.drop(1).filter(_.matches("[a-z0-9_-]{1,12}"))
    if (parts.lastOption.exists(compressions)) parts.takeRight(2).mkString(".") else parts.lastOption.mkString
  }
}
