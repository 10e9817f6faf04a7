package io.sparklance.io.hadoop

import java.io.{IOException, OutputStream}
import java.nio.file.AccessDeniedException
import java.util.UUID

import org.apache.hadoop.fs.{FSDataOutputStream, FileSystem, Path}

import io.sparklance.io.{LatePutException, WritableFile}

/** Steps of writing that Hadoop file systems share. */
private[hadoop] object Files {

  def staging(target: Path): Path =
    new Path(target.getParent, s".tmp_${target.getName}_${UUID.randomUUID()}")

  /** Writes a file. If that fails, aborts the stream where the store supports it, so that no half-written
    * file appears.
    */
  def write(stream: FSDataOutputStream, bytes: Array[Byte]): Unit = {
    try {
      stream.write(bytes)
      if (syncs(stream)) stream.hsync()
    } catch {
      case e: Throwable =>
        giveUp(stream)
        throw e
    }
    stream.close()
  }

  /** Returns whether the file was written. On failure it checks whether the file exists: stores report an
    * existing file by exceptions of their own, and a repeated request may find its own file.
    */
  def unlessTaken(fs: FileSystem, path: Path)(write: => Unit): Boolean =
    try {
      write
      true
    } catch {
      case e: AccessDeniedException => throw e
      case _: IOException if fs.exists(path) => false
      case e: IOException =>
        throw new LatePutException(s"$path may not have been written: ${e.getMessage}", e)
    }

  def isTaken(fs: FileSystem, path: Path): Boolean =
    if (fs.exists(path)) false
    else throw new IOException(s"the file system refused to rename a new file to $path")

  /** Whether the stream can flush to disk. Object stores have nothing to flush before a file is complete. */
  def syncs(stream: FSDataOutputStream): Boolean = stream.hasCapability("hsync")

  /** Aborts a stream, where the store supports it; otherwise closing creates the file. */
  def giveUp(stream: FSDataOutputStream): Unit =
    if (stream.hasCapability("fs.capability.outputstream.abortable")) { val _ = stream.abort() }
    else stream.close()
}

/** A file that is written under another name until it is committed. */
final private[hadoop] class RenamedFile(fs: FileSystem, target: Path, staged: Path, out: FSDataOutputStream)
    extends WritableFile {
  def path: String = target.toString
  def stream: OutputStream = out

  def commit(): Unit = {
    out.hsync()
    out.close()
    if (!fs.rename(staged, target)) throw new IOException(s"cannot rename $staged to $target")
  }

  def abort(): Unit =
    try out.close()
    finally {
      val _ = fs.delete(staged, false)
    }
}

/** A file that appears when its stream is closed. */
final private[hadoop] class StreamedFile(fs: FileSystem, target: Path, out: FSDataOutputStream)
    extends WritableFile {
  private var isOpen = true
  private var isCommitted = false

  def path: String = target.toString
  def stream: OutputStream = out

  def commit(): Unit = {
    isOpen = false
    out.close()
    isCommitted = true
  }

  def abort(): Unit =
    try if (isOpen) Files.giveUp(out)
    finally {
      isOpen = false
      if (!isCommitted) { val _ = fs.delete(target, false) }
    }
}
