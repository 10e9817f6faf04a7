package io.sparklance.io

import java.io.OutputStream

import scala.annotation.unused

import io.sparklance.data.ByteRange
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException}

/** The operations of a file system or object store that tables need. Paths are absolute and `/`-separated;
  * [[StorePath]] joins them.
  *
  * A missing file is a `java.io.FileNotFoundException`; other failures are `java.io.IOException`s.
  */
trait ObjectStore {

  /** Read settings that suit this store. */
  def profile: ReadProfile

  /** Commit handler of tables in this store. */
  def commits: CommitHandler = ConditionalPut

  /** Opens a file for positional reads. `knownSize` (from a manifest) saves the look-up. */
  def open(path: String, knownSize: Option[Long] = None): ReadableFile

  /** Creates a new file. Where the store supports it, the file is invisible before [[WritableFile.commit]].
    */
  def create(path: String): WritableFile

  /** Writes a whole small file, replacing an existing one. */
  def put(path: String, bytes: Array[Byte]): Unit

  /** Writes a small file that may be lost or damaged if the machine crashes. */
  def putExpendable(path: String, bytes: Array[Byte]): Unit = put(path, bytes)

  /** Writes a whole small file atomically unless the name exists. Returns false if it does. The primitive of
    * most commits. Where an answer may be lost, the existing file may be the caller's own.
    */
  def putIfAbsent(path: String, bytes: Array[Byte]): Boolean

  /** Like [[putIfAbsent]], but takes the name before it forces the bytes to disk, to win races against
    * writers that do not. The bytes are safe when it returns. If the machine fails before that, the file may
    * exist without its bytes.
    */
  def claim(path: String, bytes: Array[Byte]): Boolean = putIfAbsent(path, bytes)

  /** Lists the files directly in `directory`; none if it does not exist. */
  def list(directory: String): Vector[FileEntry]

  /** Visits the files in `directory` and below, by their relative paths; none if it does not exist. May omit
    * files that are created or deleted meanwhile.
    */
  def walk(directory: String)(visit: FileEntry => Unit): Unit

  /** Lists the names of the files in `directory`; cheaper than [[list]]. A store that lists in ascending
    * order may stop after the first name that satisfies `isEnough`, once it has returned [[Listing.Page]]
    * names.
    */
  def names(directory: String)(@unused isEnough: String => Boolean): Vector[FileName] =
    list(directory).map(entry => FileName(entry.name, Some(entry.size)))

  /** Whether [[names]] may stop early. */
  def listing(directory: String): Listing = Listing.Whole

  /** Lists the names of the directories directly in `directory`; none if it does not exist. Throws a
    * `java.nio.file.NotDirectoryException` if it is a file.
    */
  def directories(directory: String): Vector[String]

  /** Renames a directory within its parent, atomically. Returns false if the new name exists. Stores without
    * an atomic rename refuse.
    */
  def rename(@unused directory: String, @unused to: String): Boolean =
    throw new UnsupportedLanceFeatureException(
      "renaming a directory in a store that cannot do so in one step"
    )

  /** Deletes a file or an empty directory, if it exists. */
  def delete(path: String): Unit

  /** Deletes a directory and its contents, if it exists. */
  def deleteTree(directory: String): Unit

  def exists(path: String): Boolean
}

/** @param name the last part of its path; in a walk, the path below the walked directory */
final case class FileEntry(name: String, size: Long, modifiedMillis: Long)

/** @param size if the store lists it with the name */
final case class FileName(name: String, size: Option[Long])

/** The way in which a store lists a directory. */
sealed trait Listing

object Listing {

  /** Names that a store returns for one request. */
  final val Page = 1000

  /** All names at once, in any order. */
  case object Whole extends Listing

  /** Pages of names, ordered by their bytes. */
  case object Ordered extends Listing
}

/** An open file. */
trait ReadableFile extends AutoCloseable {
  def path: String
  def size: Long

  /** Identity of these contents within this JVM; None if there is none. Files of a table never change and
    * have unique names, so path and size identify them, and the modification time where it costs nothing.
    */
  def stamp: Option[FileStamp]

  /** Reads exactly `range` into `target` from index `at`; throws a `LanceFormatException` if it is outside
    * the file. Any number of threads may read at the same time. Closing the file meanwhile makes reads fail.
    */
  def read(range: ByteRange, target: Array[Byte], at: Int): Unit
}

/** @param lane lane of the file's store */
final case class FileStamp(lane: String, path: String, size: Long, modifiedNanos: Long)

object ReadableFile {

  /** Refuses a range that is not inside the file or too large for an array: the sizes come from disk. */
  def check(file: ReadableFile, range: ByteRange): Unit =
    if (
      range.offset < 0 || range.length < 0 || range.length > Int.MaxValue - 8 ||
      range.offset > file.size - range.length
    )
      throw new LanceFormatException(
        s"bytes [${range.offset}, ${range.end}) wanted of a file of ${file.size}",
        Location(file = Some(file.path), offset = Some(range.offset))
      )

  /** Returns the failure for a file that is shorter than recorded. */
  def endedEarly(file: ReadableFile, range: ByteRange): LanceFormatException = new LanceFormatException(
    s"the file ends before ${range.end}, though its size should be ${file.size}",
    Location(file = Some(file.path), offset = Some(range.offset))
  )
}

/** A file being written, front to back. */
trait WritableFile {
  def path: String
  def stream: OutputStream

  /** Makes the file durable and visible. */
  def commit(): Unit

  /** Removes the unfinished file. Has no effect after [[commit]]; may be called after a failure. */
  def abort(): Unit
}

/** Joins path parts; a table's root may be a plain path or a URI. */
object StorePath {
  def join(root: String, parts: String*): String = (root.stripSuffix("/") +: parts).mkString("/")
}
