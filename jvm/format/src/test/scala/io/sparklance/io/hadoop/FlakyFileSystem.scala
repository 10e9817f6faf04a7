package io.sparklance.io.hadoop

import java.io.{EOFException, IOException, InputStream}
import java.net.URI
import java.nio.ByteBuffer
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CompletableFuture, ConcurrentLinkedQueue}
import java.util.function.IntFunction

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.impl.OpenFileParameters

/** The local disk behind a bad connection.
  *
  * @param failures
  *   how many reads fail before one succeeds
  * @param vectored
  *   whether streams fetch ranges side by side, as those of object stores do
  */
class FlakyFileSystem(failures: Int, vectored: Boolean, failure: => Exception) extends RawLocalFileSystem {
  val reads = new AtomicInteger
  val opened = new AtomicInteger
  val open = new AtomicInteger

  /** With which streams were opened, if that was known; oldest first. */
  val statuses = new ConcurrentLinkedQueue[Option[FileStatus]]
  initialize(URI.create("file:///"), new Configuration(false))

  override protected def openFileWithOptions(
      path: Path,
      parameters: OpenFileParameters
  ): CompletableFuture[FSDataInputStream] = {
    statuses.add(Option(parameters.getStatus))
    super.openFileWithOptions(path, parameters)
  }

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    val inner = super.open(path, bufferSize)
    opened.incrementAndGet()
    open.incrementAndGet()
    new FSDataInputStream(new FlakyStream(inner)) {
      override def hasCapability(capability: String): Boolean =
        vectored && capability == StreamCapabilities.VECTOREDIO
    }
  }

  private class FlakyStream(inner: FSDataInputStream) extends InputStream with Seekable
      with PositionedReadable {
    private var isOpen = true

    private def maybeFail(): Unit = if (reads.incrementAndGet() <= failures) throw failure

    /** Never more than seven bytes at a time. */
    def read(position: Long, buffer: Array[Byte], offset: Int, length: Int): Int = {
      if (!isOpen) throw new IOException("Stream is closed!")
      maybeFail()
      inner.read(position, buffer, offset, math.min(length, 7))
    }

    def readFully(position: Long, buffer: Array[Byte], offset: Int, length: Int): Unit = {
      var done = 0
      while (done < length) {
        val n = read(position + done, buffer, offset + done, length - done)
        if (n < 0) throw new EOFException("the end")
        done += n
      }
    }
    def readFully(position: Long, buffer: Array[Byte]): Unit = readFully(position, buffer, 0, buffer.length)

    override def readVectored(
        ranges: java.util.List[_ <: FileRange],
        allocate: IntFunction[ByteBuffer]
    ): Unit = ranges.forEach { range =>
      range.setData(CompletableFuture.supplyAsync { () =>
        // As some stores do, a part of a larger buffer.
        val buffer = allocate(range.getLength + 3)
        try readFully(range.getOffset, buffer.array, 3, range.getLength)
        catch { case e: IOException => throw new java.io.UncheckedIOException(e) }
        buffer.position(3)
        buffer.slice()
      })
    }

    def seek(position: Long): Unit = inner.seek(position)
    def getPos: Long = inner.getPos
    def seekToNewSource(position: Long): Boolean = false
    def read(): Int = inner.read()
    override def close(): Unit = {
      if (isOpen) open.decrementAndGet()
      isOpen = false
      inner.close()
    }
  }
}
