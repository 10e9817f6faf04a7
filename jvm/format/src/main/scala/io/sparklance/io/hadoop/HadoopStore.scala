package io.sparklance.io.hadoop

import java.io.FileNotFoundException
import java.nio.file.NotDirectoryException

import scala.collection.mutable

import org.apache.hadoop.fs.{FileStatus, FileSystem, Path, RemoteIterator}

import io.sparklance.io.{
  FileEntry,
  FileName,
  FileStamp,
  ListedFile,
  Listing,
  ObjectStore,
  ReadProfile,
  ReadTuning,
  ReadableFile,
  StorePath,
  WritableFile
}

/** A store on any Hadoop file system. All can be read; [[Placement]] decides which can be written. */
final private[sparklance] class HadoopStore private (fs: FileSystem, placement: Placement, tuning: ReadTuning)
    extends ObjectStore {

  def profile: ReadProfile = tuning.of(ReadProfile.remote(fs.getUri.toString))

  def open(path: String, knownSize: Option[Long]): ReadableFile = {
    val file = new HadoopFile(fs, place(path))
    val status = Option.when(knownSize.isEmpty)(Retries(path)(file.status()))
    val size = status.map(_.getLen).orElse(knownSize).getOrElse(0L)
    val key = FileStamp(profile.lane, path, size, modifiedNanos = 0)
    Retries(path)(HadoopReadableFile.open(file, key, status))
  }

  def create(path: String): WritableFile = placement.create(fs, writable(path))

  def put(path: String, bytes: Array[Byte]): Unit = Files.write(fs.create(writable(path), true), bytes)

  def putIfAbsent(path: String, bytes: Array[Byte]): Boolean =
    placement.putIfAbsent(fs, writable(path), bytes)

  def list(directory: String): Vector[FileEntry] =
    try {
      val files = Retries(directory)(fs.listStatus(place(directory)))
      files.iterator
        .filterNot(_.isDirectory)
        .map(f => FileEntry(f.getPath.getName, f.getLen, f.getModificationTime))
        .toVector
    } catch { case _: FileNotFoundException => Vector.empty }

  override def listing(directory: String): Listing = placement.listing(fs, place(directory))

  override def names(directory: String)(isEnough: String => Boolean): Vector[FileName] =
    try
      listing(directory) match {
        case Listing.Whole =>
          Retries(directory)(fs.listStatus(place(directory))).iterator.filterNot(_.isDirectory)
            .map(named(directory, _)).toVector
        case Listing.Ordered => Retries(directory)(upTo(directory, isEnough))
      }
    catch { case _: FileNotFoundException => Vector.empty }

  private def named(directory: String, file: FileStatus): FileName = {
    val path = StorePath.join(directory, file.getPath.getName)
    val listed = ListedFile(StoreClients.number(fs), StoreClients.tag(file))(() => opened(path, file))
    FileName(file.getPath.getName, Some(file.getLen), Some(listed))
  }

  private def opened(path: String, status: FileStatus): ReadableFile = {
    val key = FileStamp(profile.lane, path, status.getLen, modifiedNanos = 0)
    Retries(path)(HadoopReadableFile.open(new HadoopFile(fs, place(path)), key, Some(status)))
  }

  private def upTo(directory: String, isEnough: String => Boolean): Vector[FileName] = {
    val files: RemoteIterator[FileStatus] = fs.listStatusIterator(place(directory))
    val found = mutable.ArrayBuffer.empty[FileName]
    var suffices = false
    while (!(suffices && found.size >= Listing.Page) && files.hasNext) {
      val file = files.next()
      if (!file.isDirectory) found += named(directory, file)
      suffices ||= isEnough(file.getPath.getName)
    }
    found.toVector
  }

  def walk(directory: String)(visit: FileEntry => Unit): Unit =
    try {
      val root = fs.makeQualified(place(directory)).toUri.getPath.stripSuffix("/") + "/"
      val files = Retries(directory)(fs.listFiles(place(directory), true))
      while (files.hasNext) {
        val file = files.next()
        val name = file.getPath.toUri.getPath.stripPrefix(root)
        visit(FileEntry(name, file.getLen, file.getModificationTime))
      }
    } catch { case _: FileNotFoundException => () }

  def directories(directory: String): Vector[String] =
    try {
      val found = Retries(directory)(fs.listStatus(place(directory)))
      // Listing a file returns the file itself.
      if (found.length == 1 && found.head.isFile && found.head.getPath == fs.makeQualified(place(directory)))
        throw new NotDirectoryException(directory)
      found.iterator.filter(_.isDirectory).map(_.getPath.getName).toVector
    } catch { case _: FileNotFoundException => Vector.empty }

  override def rename(directory: String, to: String): Boolean =
    if (placement.renamesDirectories) !exists(to) && fs.rename(place(directory), place(to))
    else super.rename(directory, to)

  def delete(path: String): Unit = {
    val _ = fs.delete(place(path), false)
  }

  def deleteTree(directory: String): Unit = {
    val _ = fs.delete(place(directory), true)
  }

  def exists(path: String): Boolean = fs.exists(place(path))

  private def writable(path: String): Path = {
    val target = place(path)
    placement.refusal(fs, target).foreach(throw _)
    target
  }

  private def place(path: String): Path = new Path(Schemes.hadoops(path, fs.getConf))
}

private[sparklance] object HadoopStore {

  def of(fs: FileSystem, scheme: String, tuning: ReadTuning = ReadTuning()): HadoopStore =
    new HadoopStore(fs, Placement.of(scheme), tuning)

  /** Returns a store that does not use the file system's own way to commit. */
  def unguarded(fs: FileSystem, scheme: String, tuning: ReadTuning = ReadTuning()): HadoopStore =
    new HadoopStore(fs, Unguarded(Placement.of(scheme)), tuning)
}
