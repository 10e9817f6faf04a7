package io.sparklance.io

import java.io.OutputStream

import scala.annotation.unused

import io.sparklance.data.ByteRange
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException}

/** What a table asks of a file system or object store. Paths are absolute, `/`-separated, as [[StorePath]] joins them.
  *
  * A missing file is a `java.io.FileNotFoundException`; other failures are `java.io.IOException`s.
  */
trait ObjectStore {

  /** How its files are best read. */
  def profile: ReadProfile

  /** How tables in it are committed to. */
  def commits: CommitHandler = ConditionalPut

  /** Opens a file for positional reads. `knownSize` (from a manifest) saves the look-up. */
  def open(path: String, knownSize: Option[Long] = None): ReadableFile

  /** Creates a new file that nobody sees under its name before [[WritableFile.commit]], where the store can do that. */
  def create(path: String): WritableFile

  /** Writes a whole small file, replacing what was there. */
  def put(path: String, bytes: Array[Byte]): Unit

  /** The same for a file that nobody misses: after a crash of the machine it may be gone, or damaged. */
  def putExpendable(path: String, bytes: Array[Byte]): Unit = put(path, bytes)

  /** Writes a whole small file atomically, unless one of that name exists: false then. The primitive of most commits. Where
    * an answer may be lost, false may also mean that it is ours.
    */
  def putIfAbsent(path: String, bytes: Array[Byte]): Boolean

  /** The same, but the name is taken before the bytes are safe on disk, which takes a while: others may be quicker. When it
    * returns they are safe; if the machine fails before that, there may be a file of that name without its bytes.
    */
  def claim(path: String, bytes: Array[Byte]): Boolean = putIfAbsent(path, bytes)

  /** The files directly in `directory`; none if it does not exist. */
  def list(directory: String): Vector[FileEntry]

  /** Shows the files in `directory` and in all below it, by their paths in there; none if it does not exist. Those that come or
    * go meanwhile may be left out.
    */
  def walk(directory: String)(visit: FileEntry => Unit): Unit

  /** The names of the files in `directory`, as [[list]] has them, with less effort. A store that lists them in ascending order
    * need not go on behind the first that `isEnough`, once it has given [[Listing.Page]] names.
    */
  def names(directory: String)(@unused isEnough: String => Boolean): Vector[FileName] =
    list(directory).map(entry => FileName(entry.name, Some(entry.size)))

  /** Whether [[names]] may stop early. */
  def listing(directory: String): Listing = Listing.Whole

  /** The names of the directories directly in `directory`; none if it does not exist. A file instead of the directory is a
    * `java.nio.file.NotDirectoryException`.
    */
  def directories(directory: String): Vector[String]

  /** Gives a directory, with all that is in it, another name beside its own, in one step. False if something has that name;
    * stores that have no such step refuse.
    */
  def rename(@unused directory: String, @unused to: String): Boolean =
    throw new UnsupportedLanceFeatureException(
      "renaming a directory in a store that cannot do so in one step"
    )

  /** Deletes a file, or a directory that is empty; nothing happens if there is none. */
  def delete(path: String): Unit

  /** Deletes a directory with all that is in it; nothing happens if there is none. */
  def deleteTree(directory: String): Unit

  def exists(path: String): Boolean
}

/** @param name the last part of its path or, of a whole tree's, its path below that */
final case class FileEntry(name: String, size: Long, modifiedMillis: Long)

/** @param size where the store tells it along with the name */
final case class FileName(name: String, size: Option[Long])

/** How a store lists a directory. */
sealed trait Listing

object Listing {

  /** So many names a store gives at one request. */
  final val Page = 1000

  /** All that is there, in some order. */
  case object Whole extends Listing

  /** By the bytes of names, a part at a time. */
  case object Ordered extends Listing
}

/** An open file. */
trait ReadableFile extends AutoCloseable {
  def path: String
  def size: Long

  /** What tells these contents from all others that this JVM may come to see; none if nothing does. Files of a table never
    * change and have names of their own, so path and size do, and where it costs nothing the time of writing too.
    */
  def stamp: Option[FileStamp]

  /** Reads exactly `range` into `target` from index `at`; a range outside the file is bad data. Any number of threads may
    * read at a time, and one close the file meanwhile: then reads fail.
    */
  def read(range: ByteRange, target: Array[Byte], at: Int): Unit
}

/** @param lane of the store that has the file */
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

  /** The failure when a file turns out to be shorter than it was said to be. */
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

  /** Removes what was written; harmless after a failure and after [[commit]]. */
  def abort(): Unit
}

/** Joins path parts; a table's root may be a plain path or a URI. */
object StorePath {
  def join(root: String, parts: String*): String = (root.stripSuffix("/") +: parts).mkString("/")
}
