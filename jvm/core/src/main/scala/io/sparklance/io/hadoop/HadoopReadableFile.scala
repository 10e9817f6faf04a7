package io.sparklance.io.hadoop

import java.io.{EOFException, IOException}
import java.nio.ByteBuffer
import java.util.ArrayDeque

import org.apache.hadoop.fs.{FSDataInputStream, FileRange, StreamCapabilities}
import org.apache.hadoop.util.functional.FutureIO

import io.sparklance.data.ByteRange
import io.sparklance.io.{Closing, FileStamp, ReadableFile}

/** A file of a Hadoop file system. A stream serves one read at a time, so there are as many streams as there were reads at
  * a time; but one that can fetch ranges side by side, as object stores' do, is enough for all.
  */
final private class HadoopReadableFile(val path: String, key: FileStamp, connect: () => FSDataInputStream)
    extends ReadableFile {
  // Both guarded by this.
  private val idle = new ArrayDeque[FSDataInputStream]
  private var isClosed = false

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
      val all = idle.toArray(Array.empty[FSDataInputStream])
      idle.clear()
      all
    }
    Closing.all(streams)
  }

  private def attempt(range: ByteRange, target: Array[Byte], at: Int): Unit = {
    val stream = take()
    if (stream.hasCapability(StreamCapabilities.VECTOREDIO)) {
      val wanted = FileRange.createFileRange(range.offset, range.length.toInt)
      try stream.readVectored(java.util.List.of(wanted), ByteBuffer.allocate(_))
      finally give(stream)
      val _ = FutureIO.awaitFuture(wanted.getData).get(target, at, range.length.toInt)
    } else {
      try stream.readFully(range.offset, target, at, range.length.toInt)
      catch {
        // It may be broken for good; another attempt gets a new one.
        case e: Throwable =>
          stream.close()
          throw e
      }
      give(stream)
    }
  }

  private def take(): FSDataInputStream = synchronized {
    if (isClosed) throw new ClosedFileException(path)
    Option(idle.pollFirst())
  }.getOrElse(connect())

  /** Streams that are in use when the file is closed are closed by those who use them. */
  private[hadoop] def give(stream: FSDataInputStream): Unit = {
    val late = synchronized {
      if (!isClosed) idle.addFirst(stream)
      isClosed
    }
    if (late) stream.close()
  }
}

private object HadoopReadableFile {

  /** Opens the file, so that one that is not there is missed now. */
  def open(path: String, key: FileStamp, connect: () => FSDataInputStream): HadoopReadableFile = {
    val file = new HadoopReadableFile(path, key, connect)
    file.give(connect())
    file
  }
}

final private class ClosedFileException(path: String) extends IOException(s"$path was closed")
