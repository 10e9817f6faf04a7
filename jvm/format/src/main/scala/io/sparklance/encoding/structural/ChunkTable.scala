package io.sparklance.encoding.structural

import java.util.Arrays

import io.sparklance.LanceFormatException
import io.sparklance.data.{FileVersion, Slice}

/** Start of each chunk of a mini-block page, in values and in bytes of the page's data buffer. */
final private[structural] class ChunkTable private (firstValue: Array[Long], firstByte: Array[Long]) {
  def length: Int = firstValue.length - 1

  /** First value of a chunk; the number of all values for `chunk == length`. */
  def valueAt(chunk: Int): Long = firstValue(chunk)

  /** First byte of a chunk; the number of all bytes for `chunk == length`. */
  def byteAt(chunk: Int): Long = firstByte(chunk)

  def valuesIn(chunk: Int): Int = (firstValue(chunk + 1) - firstValue(chunk)).toInt
  def bytesIn(chunk: Int): Long = firstByte(chunk + 1) - firstByte(chunk)

  /** Returns the chunk that holds `value`, a value of the page. */
  def containing(value: Long): Int = {
    val found = Arrays.binarySearch(firstValue, value)
    if (found >= 0) found else -found - 2
  }
}

/** The chunk words of a page, one for each chunk:
  * {{{
  * (bytes of the chunk / 8 - 1) << 4 | log2(values of the chunk)       u16 in 2.1, u32 since 2.2
  * }}}
  * The last chunk holds the remaining values of the page, and its log may be 0; all others hold at least 2
  * values.
  */
private[structural] object ChunkTable {

  def wordBytes(version: FileVersion): Int = version match {
    case FileVersion.V0_1 | FileVersion.V2_0 =>
      throw new LanceFormatException(s"a mini-block page in a file of version $version")
    case FileVersion.V2_1 => 2
    case FileVersion.V2_2 => 4
  }

  def parse(words: Slice, version: FileVersion, values: Long, dataBytes: Long): ChunkTable = {
    val width = wordBytes(version)
    if (words.length % width != 0)
      throw new LanceFormatException(s"${words.length} bytes of chunk words of $width bytes")
    val chunks = words.length / width
    val firstValue = new Array[Long](chunks + 1)
    val firstByte = new Array[Long](chunks + 1)
    var i = 0
    while (i < chunks) {
      val word = if (width == 2) words.unsignedShort(2 * i).toLong else words.unsignedInt(4 * i)
      val left = values - firstValue(i)
      firstValue(i + 1) = firstValue(i) + valuesOf((word & 15).toInt, left, isLast = i == chunks - 1)
      firstByte(i + 1) = firstByte(i) + ((word >>> 4) + 1) * 8
      i += 1
    }
    if (firstValue(chunks) != values)
      throw new LanceFormatException(s"chunks of ${firstValue(chunks)} values in a page of $values")
    if (firstByte(chunks) != dataBytes)
      throw new LanceFormatException(s"chunks of ${firstByte(chunks)} bytes in a buffer of $dataBytes")
    new ChunkTable(firstValue, firstByte)
  }

  private def valuesOf(log: Int, left: Long, isLast: Boolean): Long = {
    val said = 1L << log
    val fits =
      if (isLast) left > 0 && left <= Int.MaxValue && (log == 0 || said == left) else log > 0 && said < left
    if (!fits) throw new LanceFormatException(s"a chunk of 2^$log values where $left are left of its page")
    if (isLast) left else said
  }

  /** @param bytes
    *   a multiple of 8
    * @param log2Values
    *   0 for the last chunk
    */
  def word(bytes: Int, log2Values: Int): Int = bytes / 8 - 1 << 4 | log2Values
}
