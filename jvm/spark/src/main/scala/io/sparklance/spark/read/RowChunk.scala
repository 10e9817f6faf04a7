package io.sparklance.spark.read

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.Platform

import io.sparklance.LanceUsageException
import io.sparklance.data.LittleEndian

/** Some rows of a batch in Spark's format, one after the other:
  * {{{
  * a bit for each column, 1 if it is null, in words of 64 bits | a word for each column |
  * values of variable width, each padded to 8 bytes
  * }}}
  * The word of a column is its value, zero-extended; for a value of variable width, it is its u32 length and
  * its u32 offset in the row; for a null, it is 0, but a null wide decimal has an offset. Spark has the byte
  * order of the machine, this class has little-endian. Rows are few enough to stay in the processor's cache
  * while columns are written.
  */
final private[read] class RowChunk(columns: Int) {
  import LittleEndian._
  import RowChunk._

  private val nullBytes = UnsafeRow.calculateBitSetWidthInBytes(columns)
  private val fixedBytes = nullBytes + 8L * columns
  private val sizes = new Array[Long](MostRows)
  // Where rows start, and where their next value of variable width goes.
  private val starts, cursors = new Array[Int](MostRows)
  private var bytes = Array.emptyByteArray
  // The rows of the batch.
  private var first, count = 0
  private val current = new UnsafeRow(columns)

  /** Writes rows of a batch, from number `from` on, and returns how many they are: at least one, if there is
    * one before `until`.
    */
  def fill(vectors: Array[RowValues], from: Int, until: Int): Int = {
    first = from
    count = math.min(MostRows, until - from)
    Arrays.fill(sizes, 0, count, fixedBytes)
    vectors.foreach(_.measure(this))
    layOut()
    var column = 0
    while (column < vectors.length) { vectors(column).write(this, column); column += 1 }
    count
  }

  /** Returns row `i` of the chunk, valid until the next call of this or of [[fill]]. */
  def row(i: Int): UnsafeRow = {
    current.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + starts(i).toLong, sizes(i).toInt)
    current
  }

  /** Decides how many rows fit, and makes room for them. */
  private def layOut(): Unit = {
    var end = 0L
    var i = 0
    while (i < count && (i == 0 || end + sizes(i) <= MostBytes)) {
      if (sizes(i) > MostRowBytes) throw tooLarge(sizes(i))
      starts(i) = end.toInt
      cursors(i) = (end + fixedBytes).toInt
      end += sizes(i)
      i += 1
    }
    count = i
    if (end > bytes.length || bytes.length > math.max(MostBytes, 2 * end))
      bytes = new Array(math.max(end, math.min(MostBytes, 2L * bytes.length)).toInt)
    i = 0
    while (i < count) { Arrays.fill(bytes, starts(i), starts(i) + nullBytes, 0.toByte); i += 1 }
  }

  /** Adds the same number of bytes to each row. */
  def addEach(size: Int): Unit = {
    var i = 0
    while (i < count) { sizes(i) += size; i += 1 }
  }

  /** Adds the padded lengths of byte strings. */
  def addLengths(offsets: Array[Int], nulls: Array[Boolean]): Unit = {
    var i = 0
    while (i < count) {
      val row = first + i
      if (nulls == null || !nulls(row)) sizes(i) += padded(offsets(row + 1) - offsets(row))
      i += 1
    }
  }

  def putBooleans(column: Int, values: Array[Byte], nulls: Array[Boolean]): Unit = {
    val out = bytes
    val starts = this.starts
    val word = wordOf(column)
    var i = 0
    while (i < count) {
      putLong(out, starts(i) + word, if (values(first + i) != 0) 1L else 0L)
      i += 1
    }
    markNulls(column, nulls)
  }

  def putBytes(column: Int, values: Array[Byte], nulls: Array[Boolean]): Unit = {
    val out = bytes
    val starts = this.starts
    val word = wordOf(column)
    var i = 0
    while (i < count) { putLong(out, starts(i) + word, values(first + i) & 0xffL); i += 1 }
    markNulls(column, nulls)
  }

  def putShorts(column: Int, values: Array[Short], nulls: Array[Boolean]): Unit = {
    val out = bytes
    val starts = this.starts
    val word = wordOf(column)
    var i = 0
    while (i < count) { putLong(out, starts(i) + word, values(first + i) & 0xffffL); i += 1 }
    markNulls(column, nulls)
  }

  def putInts(column: Int, values: Array[Int], nulls: Array[Boolean]): Unit = {
    val out = bytes
    val starts = this.starts
    val word = wordOf(column)
    var i = 0
    while (i < count) { putLong(out, starts(i) + word, values(first + i) & 0xffffffffL); i += 1 }
    markNulls(column, nulls)
  }

  def putLongs(column: Int, values: Array[Long], nulls: Array[Boolean]): Unit = {
    val out = bytes
    val starts = this.starts
    val word = wordOf(column)
    var i = 0
    while (i < count) { putLong(out, starts(i) + word, values(first + i)); i += 1 }
    markNulls(column, nulls)
  }

  /** Writes the lower 8 bytes of values of 16. */
  def putDecimals(column: Int, values: Array[Byte], nulls: Array[Boolean]): Unit = {
    val out = bytes
    val starts = this.starts
    val word = wordOf(column)
    var i = 0
    while (i < count) { putLong(out, starts(i) + word, long(values, 16 * (first + i))); i += 1 }
    markNulls(column, nulls)
  }

  /** Writes decimals of more than 18 digits: big-endian, without the bytes that only repeat the sign. Nulls
    * take as much space, since Spark updates values in place.
    */
  def putWideDecimals(column: Int, valueAt: Int => Decimal): Unit = {
    val word = wordOf(column)
    var i = 0
    while (i < count) {
      val start = starts(i)
      val at = cursors(i)
      putLong(bytes, at, 0)
      putLong(bytes, at + 8, 0)
      val value = valueAt(first + i)
      if (value == null) setNull(start, column)
      val unscaled =
        if (value == null) Array.emptyByteArray else value.toJavaBigDecimal.unscaledValue.toByteArray
      System.arraycopy(unscaled, 0, bytes, at, unscaled.length)
      putLong(bytes, start + word, (at - start).toLong << 32 | unscaled.length)
      cursors(i) = at + WideDecimalBytes
      i += 1
    }
  }

  def putStrings(column: Int, values: Array[Byte], offsets: Array[Int], nulls: Array[Boolean]): Unit = {
    val starts = this.starts
    val word = wordOf(column)
    var i = 0
    while (i < count) {
      val row = first + i
      if (nulls == null || !nulls(row)) {
        val length = offsets(row + 1) - offsets(row)
        val at = cursors(i)
        copy(values, offsets(row), length, at)
        putLong(bytes, starts(i) + word, (at - starts(i)).toLong << 32 | length)
        cursors(i) = at + padded(length).toInt
      }
      i += 1
    }
    markNulls(column, nulls)
  }

  /** Copies a value of variable width, and pads it with zeroes. */
  private def copy(values: Array[Byte], from: Int, length: Int, to: Int): Unit =
    if (length <= MostInWords && from <= values.length - MostInWords) {
      val out = bytes
      var k = 0
      while (k + 8 <= length) { putLong(out, to + k, long(values, from + k)); k += 8 }
      if (k < length) putLong(out, to + k, long(values, from + k) & -1L >>> 64 - 8 * (length - k))
    } else {
      if ((length & 7) != 0) putLong(bytes, to + (length & ~7), 0)
      System.arraycopy(values, from, bytes, to, length)
    }

  private def markNulls(column: Int, nulls: Array[Boolean]): Unit = if (nulls != null) {
    val word = wordOf(column)
    var i = 0
    while (i < count) {
      if (nulls(first + i)) {
        setNull(starts(i), column)
        putLong(bytes, starts(i) + word, 0)
      }
      i += 1
    }
  }

  private def setNull(start: Int, column: Int): Unit = {
    val at = start + (column >> 6 << 3)
    putLong(bytes, at, long(bytes, at) | 1L << (column & 63))
  }

  /** The offset of a column's word in its row. */
  private def wordOf(column: Int): Int = nullBytes + 8 * column
}

private[read] object RowChunk {
  final val WideDecimalBytes = 16

  /** Few enough that a query for some rows converts hardly more than these. */
  final private val MostRows = 64
  final private val MostBytes = 1L << 20

  /** Bytes of the longest array. */
  final private val MostRowBytes = Int.MaxValue - 15L

  /** Bytes up to which a loop over words is faster than a call that copies. */
  final private val MostInWords = 64

  private def padded(length: Int): Long = length + 7L & ~7L

  private def tooLarge(size: Long) = new LanceUsageException(
    s"A row takes $size bytes in Spark's format, which allows $MostRowBytes at most. Select fewer columns."
  )
}
