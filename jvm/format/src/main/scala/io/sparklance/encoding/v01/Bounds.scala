package io.sparklance.encoding.v01

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, LittleEndian, RowRange, Slice}

/** Start and end of variable-length values: of strings in the bytes of the file, of lists in the items of the
  * batch.
  *
  * {{{
  * i32 or i64 start[0], .., start[n]     one more than rows: the last is the end of the last value
  * }}}
  *
  * @param values
  *   starts of the rows from `origin` on, and the end of the last one; they do not decrease
  */
final private[v01] class Bounds private (values: Array[Long], origin: Long) {

  /** Returns the start of the value of `row`, which is the end of the previous one. */
  def apply(row: Long): Long = values(Math.toIntExact(row - origin))

  /** Returns the bytes or items of `rows`. */
  def span(rows: RowRange): RowRange = RowRange(apply(rows.start), apply(rows.end))

  /** Writes the ends of `rows` to `out(at ..)`, as if the first value started at `base`. */
  def write(rows: RowRange, base: Int, out: Array[Int], at: Int): Unit = {
    val count = (rows.end - rows.start).toInt
    val shift = base - apply(rows.start)
    val from = (rows.start - origin).toInt + 1
    var i = 0
    while (i < count) {
      out(at + i) = (values(from + i) + shift).toInt
      i += 1
    }
  }

  /** Returns a level for each of `rows`: 1 if the value is empty. */
  def emptyLevels(rows: RowRange): Array[Short] = {
    val levels = new Array[Short]((rows.end - rows.start).toInt)
    val from = (rows.start - origin).toInt
    var i = 0
    while (i < levels.length) {
      levels(i) = if (values(from + i) == values(from + i + 1)) 1 else 0
      i += 1
    }
    levels
  }
}

private[v01] object Bounds {

  /** Returns the part of `buffer` that holds the offsets of `rows`. */
  def needed(buffer: ByteRange, bits: Int, rows: RowRange): ByteRange = {
    val width = bits / 8L
    if (rows.start < 0 || rows.end < rows.start || rows.end >= buffer.length / width)
      throw new LanceFormatException(
        s"rows [${rows.start}, ${rows.end}) are not in ${buffer.length} bytes of offsets of $bits bits"
      )
    buffer.slice(rows.start * width, (rows.length + 1) * width)
  }

  /** @param bytes
    *   the offsets [[needed]] for `rows`
    * @param limits
    *   range in which values may lie
    */
  def load(bytes: Slice, bits: Int, rows: RowRange, limits: RowRange): Bounds = {
    val values = new Array[Long](bytes.length / (bits / 8))
    if (values.length != rows.length + 1)
      throw new LanceFormatException(s"${bytes.length} bytes of offsets for ${rows.length} rows")
    if (bits == 32) load32(bytes, values) else load64(bytes, values)
    check(values, limits)
    new Bounds(values, rows.start)
  }

  private def load32(bytes: Slice, out: Array[Long]): Unit = {
    var i = 0
    while (i < out.length) {
      out(i) = LittleEndian.int(bytes.array, bytes.offset + 4 * i).toLong
      i += 1
    }
  }

  private def load64(bytes: Slice, out: Array[Long]): Unit = {
    var i = 0
    while (i < out.length) {
      out(i) = LittleEndian.long(bytes.array, bytes.offset + 8 * i)
      i += 1
    }
  }

  private def check(values: Array[Long], limits: RowRange): Unit = {
    var previous = limits.start
    var i = 0
    while (i < values.length) {
      if (values(i) < previous || values(i) > limits.end)
        throw new LanceFormatException(
          s"offset ${values(i)} behind $previous, of values in [${limits.start}, ${limits.end})"
        )
      previous = values(i)
      i += 1
    }
  }
}
