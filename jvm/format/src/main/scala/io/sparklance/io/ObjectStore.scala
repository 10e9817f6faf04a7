package io.sparklance.io

import scala.annotation.unused

import io.sparklance.UnsupportedLanceFeatureException

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
