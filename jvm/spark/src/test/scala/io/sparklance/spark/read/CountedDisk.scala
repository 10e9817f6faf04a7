package io.sparklance.spark.read

import java.io.{IOException, InputStream}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.fs._

import io.sparklance.spark.OwnDisk

/** The local disk as a store of its own, which counts streams, takes its time, and may fail. */
final class CountedDisk extends OwnDisk {
  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    val inner = super.open(path, bufferSize)
    CountedDisk.opened.incrementAndGet()
    CountedDisk.open.incrementAndGet()
    new FSDataInputStream(new CountedStream(path.getName, inner))
  }
}

object CountedDisk {
  val opened = new AtomicInteger
  val open = new AtomicInteger

  /** Bytes of all reads. */
  @volatile var delayMillis: Long = 0

  /** The name of a file that cannot be read. */
  @volatile var broken: String = ""
}

final private class CountedStream(name: String, inner: FSDataInputStream)
    extends InputStream
    with Seekable
    with PositionedReadable {
  private var isOpen = true

  private def before(offset: Long): Unit = {
    if (CountedDisk.delayMillis > 0) Thread.sleep(CountedDisk.delayMillis)
    if (name == CountedDisk.broken) throw new IOException(s"the disk is broken at $offset")
  }

  def read(position: Long, buffer: Array[Byte], offset: Int, length: Int): Int = {
    before(position)
    inner.read(position, buffer, offset, length)
  }
  def readFully(position: Long, buffer: Array[Byte], offset: Int, length: Int): Unit = {
    before(position)
    inner.readFully(position, buffer, offset, length)
  }
  def readFully(position: Long, buffer: Array[Byte]): Unit = readFully(position, buffer, 0, buffer.length)
  def seek(position: Long): Unit = inner.seek(position)
  def getPos: Long = inner.getPos
  def seekToNewSource(position: Long): Boolean = false
  def read(): Int = inner.read()
  override def close(): Unit = {
    if (isOpen) CountedDisk.open.decrementAndGet()
    isOpen = false
    inner.close()
  }
}
