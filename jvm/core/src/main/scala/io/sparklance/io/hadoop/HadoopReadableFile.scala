package io.sparklance.io.hadoop

import java.io.{EOFException, FileNotFoundException, IOException}
import java.nio.ByteBuffer
import java.util.ArrayDeque

import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

import org.apache.hadoop.fs.{FSDataInputStream, FileRange, FileStatus, StreamCapabilities}
import org.apache.hadoop.util.functional.FutureIO

import io.sparklance.data.ByteRange
import io.sparklance.io.{Closing, FileStamp, ReadableFile}

/** A file of a Hadoop file system. A stream serves one read at a time, so there are as many streams as there were reads at
  * a time; but one that can fetch ranges side by side, as object stores' do, is enough for all.
  *
  * After a read that failed, the store is asked what is there, and streams are opened anew: clients say in many ways that a
  * file is gone, and some fail for good when it was replaced.
  */
final private class HadoopReadableFile(file: HadoopFile, key: FileStamp, first: Option[FileStatus])
    extends ReadableFile {
  // All guarded by this.
  private val idle = new ArrayDeque[FSDataInputStream]
  private val failed = new ArrayDeque[FSDataInputStream]
  private var known = first
  private var isClosed = false

  def path: String = key.path
  def size: Long = key.size
  def stamp: Option[FileStamp] = Some(key)

  def read(range: ByteRange, target: Array[Byte], at: Int): Unit = {
    ReadableFile.check(this, range)
    try Retries(s"bytes [${range.offset}, ${range.end}) of $path")(attempt(range, target, at))
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

  /** Others may be reading from it: it is closed in the end. */
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

  /** Streams that are in use when the file is closed are closed by those who use them. */
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

  /** Opens the file, so that one that is not there is missed now.
    *
    * @param status what is there, if anybody has looked
    */
  def open(file: HadoopFile, key: FileStamp, status: Option[FileStatus]): HadoopReadableFile = {
    val opened = new HadoopReadableFile(file, key, status)
    opened.connect()
    opened
  }
}

final private class ClosedFileException(path: String) extends IOException(s"$path was closed")
