package io.sparklance.dataset.blob

import io.sparklance.data.ByteRange
import io.sparklance.io.{IoClient, IoStats, RangeCoalescer, Read, ReadableFile}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** A file with blobs. It reads ahead while blobs are requested in file order, more each time; a blob
  * elsewhere is read alone.
  */
final private[dataset] class BlobFile(file: ReadableFile, io: IoClient) extends AutoCloseable {
  private var buffer = Array.emptyByteArray
  private var buffered = ByteRange(0, 0)
  private var nextPosition = Long.MaxValue
  private var ahead = 0

  def size: Long = file.size

  def read(position: Long, size: Long): Array[Byte] = {
    if (position < 0 || size < 0 || position > file.size - size)
      throw new LanceFormatException(s"a blob of $size bytes at $position, in a file of ${file.size}")
    if (size > BlobFile.MostBytes) throw new UnsupportedLanceFeatureException(s"a blob of $size bytes")
    val blob = new Array[Byte](size.toInt)
    if (size > 0) fill(blob, position)
    blob
  }

  private def fill(blob: Array[Byte], position: Long): Unit = {
    val end = position + blob.length
    if (position < buffered.offset || end > buffered.end) {
      val gap = position - nextPosition
      ahead = if (gap < 0 || gap > BlobFile.MostGap) 0
      else math.min(math.max(2 * ahead, BlobFile.FirstAhead), BlobFile.MostAhead)
      if (blob.length < ahead) readAhead(position)
    }
    if (position >= buffered.offset && end <= buffered.end)
      System.arraycopy(buffer, (position - buffered.offset).toInt, blob, 0, blob.length)
    else fetch(ByteRange(position, blob.length.toLong), blob)
    nextPosition = end
  }

  private def readAhead(position: Long): Unit = {
    val length = math.min(ahead.toLong, file.size - position).toInt
    if (buffer.length < length) buffer = new Array[Byte](length)
    buffered = ByteRange(0, 0)
    fetch(ByteRange(position, length.toLong), buffer)
    buffered = ByteRange(position, length.toLong)
  }

  /** Fetches a blob; parts of a large one are requested at the same time. */
  private def fetch(range: ByteRange, target: Array[Byte]): Unit = {
    val reads = RangeCoalescer.split(range, io.profile.maxLength).map { part =>
      new Read(file, part, row = 0, target, (part.offset - range.offset).toInt)
    }
    io.begin(reads)
    reads.foreach(io.await)
  }

  /** Requests so far. */
  def stats: IoStats = io.stats

  def close(): Unit =
    try io.close()
    finally file.close()
}

private object BlobFile {
  final private val MostBytes = Int.MaxValue - 8L

  /** Largest gap between blobs that is read; padding to 64 bytes is always there. */
  final private val MostGap = 16L << 10
  final private val FirstAhead = 64 << 10
  final private val MostAhead = 4 << 20
}
