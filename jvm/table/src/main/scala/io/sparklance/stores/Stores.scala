package io.sparklance.stores

import java.net.URI

import scala.collection.concurrent.TrieMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}

import io.sparklance.io.hadoop.{HadoopStore, Schemes}
import io.sparklance.io.{
  CommitHandler,
  FileEntry,
  FileName,
  Listing,
  LocalStore,
  ObjectStore,
  ReadProfile,
  ReadTuning,
  ReadableFile,
  WritableFile
}
import io.sparklance.stores.server.Granted

/** Finds the store in which a table lies. */
private[sparklance] object Stores {

  /** Whether a root with a scheme is in the local file system, which needs no configuration. */
  def isLocal(root: String): Boolean = root.startsWith("file:/")

  /** Returns the store for a table and all files that it refers to. [[CommitChoice]] reads the commit handler
    * from `conf`.
    *
    * @param root
    *   a root of [[TableUri]]
    */
  def forTable(root: String, conf: Configuration, tuning: ReadTuning = ReadTuning()): ObjectStore =
    CommitChoice.in(conf, root) match {
      case CommitChoice.OfStore =>
        new TableStore(root, forRoot(root, conf, tuning), forRoot(_, conf, tuning), Granted.in(conf))
      case CommitChoice.Other(handler) =>
        val home = at(root, conf, tuning)(HadoopStore.unguarded)
        new TableStore(root, home, forRoot(_, conf, tuning), Granted.in(conf)) {
          // Lazy, because executors write only data files.
          override lazy val commits = handler()
        }
    }

  /** Returns the store for a path; a plain path belongs to the default file system of Hadoop's configuration.
    */
  def forRoot(root: String, conf: Configuration, tuning: ReadTuning = ReadTuning()): ObjectStore =
    at(root, conf, tuning)(HadoopStore.of)

  private def at(root: String, conf: Configuration, tuning: ReadTuning)(
      distant: (FileSystem, String, ReadTuning) => ObjectStore
  ): ObjectStore = {
    val path = new Path(Schemes.hadoops(root, conf))
    val scheme = Option(path.toUri.getScheme)
      .getOrElse(Option(URI.create(conf.get("fs.defaultFS", "file:///")).getScheme).getOrElse("file"))
    if (scheme != "file") distant(FileSystems.of(path, conf), scheme, tuning)
    else if (tuning == ReadTuning()) LocalStore
    else LocalStore.tuned(tuning)
  }
}

/** The store of a table and of the other places in its manifest: other buckets and file systems. A path
  * without a scheme is a local one, whatever store the table is in.
  *
  * @param home
  *   the table's own store
  * @param elsewhere
  *   finds the store of another place
  * @param granted
  *   places that the table may use
  */
private class TableStore(
    root: String,
    home: ObjectStore,
    elsewhere: String => ObjectStore,
    granted: Granted
) extends ObjectStore {
  private val place = Schemes.authority(root)
  private val others = TrieMap.empty[Option[(String, String)], ObjectStore]

  def profile: ReadProfile = home.profile
  override def commits: CommitHandler = home.commits
  def open(path: String, knownSize: Option[Long]): ReadableFile = of(path).open(path, knownSize)
  def create(path: String): WritableFile = of(path).create(path)
  def put(path: String, bytes: Array[Byte]): Unit = of(path).put(path, bytes)
  override def putExpendable(path: String, bytes: Array[Byte]): Unit = of(path).putExpendable(path, bytes)
  def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = of(path).putIfAbsent(path, bytes)
  override def claim(path: String, bytes: Array[Byte]): Boolean = of(path).claim(path, bytes)
  def list(directory: String): Vector[FileEntry] = of(directory).list(directory)
  override def listing(directory: String): Listing = of(directory).listing(directory)
  override def names(directory: String)(isEnough: String => Boolean): Vector[FileName] =
    of(directory).names(directory)(isEnough)
  def directories(directory: String): Vector[String] = of(directory).directories(directory)
  override def rename(directory: String, to: String): Boolean = of(directory).rename(directory, to)
  def delete(path: String): Unit = of(path).delete(path)
  def walk(directory: String)(visit: FileEntry => Unit): Unit = of(directory).walk(directory)(visit)
  def deleteTree(directory: String): Unit = of(directory).deleteTree(directory)
  def exists(path: String): Boolean = of(path).exists(path)

  private def of(path: String): ObjectStore = {
    granted.check(path)
    Schemes.authority(path) match {
      case `place` => home
      case None => LocalStore
      case Some(("file", _)) if place.forall(_._1 == "file") => home
      case other => others.getOrElseUpdate(other, elsewhere(path))
    }
  }
}
