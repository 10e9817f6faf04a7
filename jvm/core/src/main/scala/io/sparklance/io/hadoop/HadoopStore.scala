package io.sparklance.io.hadoop

import java.io.OutputStream
import java.util.UUID

import scala.util.Using

import org.apache.hadoop.fs.Options.OpenFileOptions._
import org.apache.hadoop.fs.{FSDataInputStream, FSDataOutputStream, FileSystem, Path}
import org.apache.hadoop.util.functional.FutureIO

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.io.{
  FileEntry,
  FileStamp,
  ObjectStore,
  ReadProfile,
  ReadTuning,
  ReadableFile,
  WritableFile
}

/** Any file system that Hadoop knows. Reading works on all of them; a table is only written where Hadoop's `rename`
  * refuses, atomically, to replace a file, since a commit rests on that.
  */
final class HadoopStore(fs: FileSystem, scheme: String, tuning: ReadTuning = ReadTuning())
    extends ObjectStore {

  def profile: ReadProfile = tuning.of(ReadProfile.remote(fs.getUri.toString))

  def open(path: String, knownSize: Option[Long]): ReadableFile = {
    val target = new Path(path)
    val size = knownSize.getOrElse(Retries(path)(fs.getFileStatus(target).getLen))
    // With a length, stores need not ask for it once more.
    def stream: FSDataInputStream = FutureIO.awaitFuture(
      fs.openFile(target)
        .opt(FS_OPTION_OPENFILE_READ_POLICY, HadoopStore.ReadPolicy)
        .opt(FS_OPTION_OPENFILE_LENGTH, size.toString)
        .build()
    )
    val stamp = FileStamp(profile.lane, path, size, modifiedNanos = 0)
    Retries(path)(HadoopReadableFile.open(path, stamp, () => stream))
  }

  def create(path: String): WritableFile = {
    checkWritable()
    val target = new Path(path)
    val staged = staging(target)
    new HadoopWritableFile(path, fs, target, staged, fs.create(staged, false))
  }

  def put(path: String, bytes: Array[Byte]): Unit = {
    checkWritable()
    write(fs.create(new Path(path), true), bytes)
  }

  def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
    checkWritable()
    val target = new Path(path)
    val staged = staging(target)
    try {
      write(fs.create(staged, false), bytes)
      // Some implementations say false, some throw, and only because of a file of that name is it no failure.
      try fs.rename(staged, target) || taken(target)
      catch { case _: org.apache.hadoop.fs.FileAlreadyExistsException => false }
    } finally {
      val _ = fs.delete(staged, false)
    }
  }

  def list(directory: String): Vector[FileEntry] =
    try {
      val files = Retries(directory)(fs.listStatus(new Path(directory)))
      files.iterator
        .filterNot(_.isDirectory)
        .map(f => FileEntry(f.getPath.getName, f.getLen, f.getModificationTime))
        .toVector
    } catch { case _: java.io.FileNotFoundException => Vector.empty }

  def walk(directory: String)(visit: FileEntry => Unit): Unit =
    try {
      val root = fs.makeQualified(new Path(directory)).toUri.getPath.stripSuffix("/") + "/"
      val files = Retries(directory)(fs.listFiles(new Path(directory), true))
      while (files.hasNext) {
        val file = files.next()
        val name = file.getPath.toUri.getPath.stripPrefix(root)
        visit(FileEntry(name, file.getLen, file.getModificationTime))
      }
    } catch { case _: java.io.FileNotFoundException => () }

  def delete(path: String): Unit = {
    val _ = fs.delete(new Path(path), false)
  }

  def deleteTree(directory: String): Unit = {
    val _ = fs.delete(new Path(directory), true)
  }

  def exists(path: String): Boolean = fs.exists(new Path(path))

  private def write(target: FSDataOutputStream, bytes: Array[Byte]): Unit = Using.resource(target) { out =>
    out.write(bytes)
    out.hsync()
  }

  private def taken(target: Path): Boolean =
    if (fs.exists(target)) false
    else throw new java.io.IOException(s"$scheme refused to rename a new file to $target")

  private def staging(target: Path): Path =
    new Path(target.getParent, s".tmp_${target.getName}_${UUID.randomUUID()}")

  private def checkWritable(): Unit =
    if (!HadoopStore.RenameSafe.contains(scheme))
      throw new UnsupportedLanceFeatureException(s"writing to $scheme:// (no commit without put-if-absent)")
}

object HadoopStore {

  /** Schemes whose `rename` is atomic and fails when the target exists. */
  val RenameSafe: Set[String] = Set("hdfs", "viewfs")

  /** The first of these that a store knows. */
  private val ReadPolicy = s"$FS_OPTION_OPENFILE_READ_POLICY_VECTOR, $FS_OPTION_OPENFILE_READ_POLICY_RANDOM"
}

final private class HadoopWritableFile(
    val path: String,
    fs: FileSystem,
    target: Path,
    staged: Path,
    out: FSDataOutputStream
) extends WritableFile {
  def stream: OutputStream = out

  def commit(): Unit = {
    out.hsync()
    out.close()
    if (!fs.rename(staged, target)) throw new java.io.IOException(s"cannot rename $staged to $target")
  }

  def abort(): Unit =
    try out.close()
    finally {
      val _ = fs.delete(staged, false)
    }
}
