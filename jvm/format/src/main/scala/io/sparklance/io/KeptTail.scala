package io.sparklance.io

import io.sparklance.data.ByteRange

/** A file whose last `most` bytes are read once, with the first read among them, and cached. */
final private[sparklance] class KeptTail(file: ReadableFile, most: Int) extends ReadableFile {
  private val start = math.max(0L, file.size - most)

  private lazy val tail = {
    val bytes = new Array[Byte]((file.size - start).toInt)
    file.read(ByteRange(start, file.size - start), bytes, 0)
    bytes
  }

  def path: String = file.path
  def size: Long = file.size
  def stamp: Option[FileStamp] = file.stamp

  def read(range: ByteRange, target: Array[Byte], at: Int): Unit = {
    ReadableFile.check(this, range)
    if (range.offset < start) file.read(range, target, at)
    else System.arraycopy(tail, (range.offset - start).toInt, target, at, range.length.toInt)
  }

  def close(): Unit = file.close()
}
