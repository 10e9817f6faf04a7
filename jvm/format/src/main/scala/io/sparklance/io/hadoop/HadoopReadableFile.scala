package io.sparklance.io.hadoop

import java.io.{EOFException, FileNotFoundException, IOException}
import java.nio.ByteBuffer
import java.util.ArrayDeque

import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

import org.apache.hadoop.fs.{FSDataInputStream, FileRange, FileStatus, StreamCapabilities}
import org.apache.hadoop.util.functional.FutureIO

import io.sparklance.data.ByteRange
import io.sparklance.io.{Closing, FileStamp, IoScheduler, ReadableFile}

/** A file of a Hadoop file system. A stream serves one read at a time, so there are as many streams as
  * concurrent reads, except that one stream with vectored reads, as object stores have, serves all.
  *
  * After a failed read, the status is requested and streams are reopened: clients report a missing file in
  * many ways, and some fail permanently when it was replaced.
  */
final private class HadoopReadableFile(file: HadoopFile, key: FileStamp, first: Option[FileStatus])
    extends ReadableFile {
  // Guarded by this, all of them.
  private val idle = new ArrayDeque[FSDataInputStream]
  private val failed = new ArrayDeque[FSDataInputStream]
  private var known = first
  private var isClosed = false

  def path: String = key.path
  def size: Long = key.size
  def stamp: Option[FileStamp] = Some(key)

  def read(range: ByteRange, target: Array[Byte], at: Int): Unit = {
    ReadableFile.check(this, range)
    val what = s"bytes [${range.offset}, ${range.end}) of $path"
    try Retries(what, IoScheduler.shared.slowedDown(key.lane))(attempt(range, target, at))
    catch { case _: EOFException => throw ReadableFile.endedEarly(this, range) }
  }

  def close(): Unit = {
    val streams = synchronized {
      isClosed = true
      idle.addAll(failed)
      val all = idle.toArray(Array.empty[FSDataInputStream])
      idle.clear()
      failed.clear()
      all
    }
    Closing.all(streams)
  }

  private def attempt(range: ByteRange, target: Array[Byte], at: Int): Unit = {
    val stream = take()
    try
      if (stream.hasCapability(StreamCapabilities.VECTOREDIO)) {
        val wanted = FileRange.createFileRange(range.offset, range.length.toInt)
        try stream.readVectored(java.util.List.of(wanted), ByteBuffer.allocate(_))
        finally give(stream)
        val _ = FutureIO.awaitFuture(wanted.getData).get(target, at, range.length.toInt)
      } else {
        stream.readFully(range.offset, target, at, range.length.toInt)
        give(stream)
      }
    catch { case NonFatal(e) => throw failure(stream, e) }
  }

  private def failure(stream: FSDataInputStream, e: Throwable): IOException = {
    drop(stream)
    e match {
      case e: IOException if !Retries.mayPass(e) => e
      case _ =>
        Try(file.status()) match {
          case Failure(gone: FileNotFoundException) => gone
          case Success(status) =>
            synchronized { known = Some(status) }
            asIo(e)
          case Failure(_) => asIo(e)
        }
    }
  }

  private def asIo(e: Throwable): IOException = e match {
    case e: IOException => e
    case other => new IOException(other.toString, other)
  }

  /** Drops a stream from the pool. Others may be reading from it, so it is closed with the file. */
  private def drop(stream: FSDataInputStream): Unit = {
    val late = synchronized {
      idle.remove(stream)
      if (!isClosed && !failed.contains(stream)) failed.addFirst(stream)
      isClosed
    }
    if (late) stream.close()
  }

  private def take(): FSDataInputStream = {
    val (stream, status) = synchronized {
      if (isClosed) throw new ClosedFileException(path)
      (Option(idle.pollFirst()), known)
    }
    stream.getOrElse(status.fold(file.open(size))(file.open(_)))
  }

  /** Returns a stream to the pool, or closes it if the file was closed meanwhile. */
  private def give(stream: FSDataInputStream): Unit = {
    val late = synchronized {
      if (!isClosed && !failed.contains(stream)) idle.addFirst(stream)
      isClosed
    }
    if (late) stream.close()
  }

  private def connect(): Unit = give(take())
}

private object HadoopReadableFile {

  /** Opens the file, so that a missing file fails now.
    *
    * @param status
    *   the file's status, if known
    */
  def open(file: HadoopFile, key: FileStamp, status: Option[FileStatus]): HadoopReadableFile = {
    val opened = new HadoopReadableFile(file, key, status)
    opened.connect()
    opened
  }
}

final private class ClosedFileException(path: String) extends IOException(s"$path was closed")
