package io.sparklance.file

import io.sparklance.data.{ByteRange, Slice}
import io.sparklance.io.{FileStamp, ReadableFile}

/** A file whose last bytes are in memory and not read again.
  *
  * @param start
  *   position of the first of them
  */
final private[file] class TailedFile(file: ReadableFile, start: Long, tail: Slice) extends ReadableFile {
  def path: String = file.path
  def size: Long = file.size
  def stamp: Option[FileStamp] = file.stamp

  /** Returns a range that needs no read. Refuses ranges outside of the file. */
  def inMemory(range: ByteRange): Option[Slice] = {
    ReadableFile.check(this, range)
    Option.when(range.offset >= start)(slice(range))
  }

  def read(range: ByteRange, target: Array[Byte], at: Int): Unit = {
    ReadableFile.check(this, range)
    val before = math.max(0L, math.min(range.length, start - range.offset))
    if (before > 0) file.read(ByteRange(range.offset, before), target, at)
    if (range.length > before) {
      val rest = slice(ByteRange(range.offset + before, range.length - before))
      System.arraycopy(rest.array, rest.offset, target, at + before.toInt, rest.length)
    }
  }

  private def slice(range: ByteRange): Slice =
    tail.slice(range.offset - start, range.length, "the end of a file")

  def close(): Unit = file.close()
}

private[file] object TailedFile {
  def of(file: ReadableFile, tail: FileTail): TailedFile = new TailedFile(file, tail.start, tail.content)

  /** A file of which nothing is in memory. */
  def unread(file: ReadableFile): TailedFile = new TailedFile(file, file.size, Slice.Empty)
}
