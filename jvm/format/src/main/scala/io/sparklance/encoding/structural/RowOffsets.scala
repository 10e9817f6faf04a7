package io.sparklance.encoding.structural

import io.sparklance.data.{ByteRange, RowRange, RowRanges, Slice}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** The parts of a full-zip page's repetition index that some rows take, before they are read.
  *
  * @param parts
  *   byte ranges of the file, in order
  * @param firsts
  *   the row with whose start each part begins
  * @param width
  *   bytes of an offset
  * @param rows
  *   of the page
  */
final private class StoredOffsets(val parts: Vector[ByteRange], firsts: Array[Long], width: Int, rows: Long) {

  /** Checks the first and the last offset, if they were read.
    *
    * @param size
    *   bytes of the page's data
    */
  def open(bytes: Vector[Slice], size: Long): RowOffsets = {
    if (bytes.map(_.length.toLong) != parts.map(_.length))
      throw new LanceFormatException("a repetition index was not read in full")
    val offsets = new RowOffsets(bytes.toArray, firsts, width)
    val isWhole = offsets.has(0) && offsets.has(rows)
    if (offsets.has(0) && offsets(0) != 0 || offsets.has(rows) && offsets(rows) != size)
      throw new LanceFormatException(
        if (isWhole) s"a repetition index covers [${offsets(0)}, ${offsets(rows)}) of $size bytes"
        else s"a repetition index does not cover $size bytes"
      )
    offsets
  }
}

/** Offsets of rows in a page, packed as on disk, all of them or those of some rows.
  *
  * @param firsts
  *   the row with whose start each part begins
  */
final private class RowOffsets(parts: Array[Slice], firsts: Array[Long], width: Int) {
  private val lastPart = parts.length - 1

  /** Returns the start of row `row`. */
  def apply(row: Long): Long = {
    val part = if (lastPart == 0) 0 else partOf(row)
    val at = Math.toIntExact((row - firsts(part)) * width)
    width match {
      case 1 => parts(part).unsignedByte(at).toLong
      case 2 => parts(part).unsignedShort(at).toLong
      case 4 => parts(part).unsignedInt(at)
      case _ => parts(part).long(at)
    }
  }

  def has(row: Long): Boolean = lastPart >= 0 && row >= firsts(0) && {
    val part = partOf(row)
    row - firsts(part) < parts(part).length / width
  }

  def checkOrder(rows: RowRange, size: Long): Unit = {
    var previous = apply(rows.start)
    if (previous < 0) throw new LanceFormatException(s"row ${rows.start} starts at $previous")
    var row = rows.start + 1
    while (row <= rows.end) {
      val offset = apply(row)
      if (offset < previous || offset > size)
        throw new LanceFormatException(s"row ${row - 1} is at [$previous, $offset) of $size bytes")
      previous = offset
      row += 1
    }
  }

  /** Returns the last part that begins at `row` or before it. */
  private def partOf(row: Long): Int = {
    var low = 0
    var high = parts.length
    while (high - low > 1) {
      val middle = low + high >>> 1
      if (firsts(middle) <= row) low = middle else high = middle
    }
    low
  }
}

private object RowOffsets {
  private val Widths = Set(1L, 2L, 4L, 8L)

  /** Bytes of a block of a long index. Blocks are read and cached as they are, whatever rows they are for. */
  final private val BlockBytes = 16L << 10

  /** More blocks are read as one part. */
  final private val MostBlocks = 64

  /** Larger indices are read in part, if few rows are wanted. Others are cheaper read once, and cached. */
  final private val ShortBytes = 8 * BlockBytes

  /** @param wanted the only rows that will be asked for */
  def stored(index: ByteRange, rows: Long, wanted: RowRanges): StoredOffsets = {
    val width = this.width(index.length, rows)
    val parts = this.parts(index.length, width, wanted)
    new StoredOffsets(
      parts.map(part => index.slice(part.start, part.length)),
      parts.map(_.start / width).toArray,
      width,
      rows
    )
  }

  /** Returns the bytes of an index that hold the offsets of rows and of their ends. */
  private def parts(size: Long, width: Int, wanted: RowRanges): Vector[RowRange] = {
    val blocks =
      if (size <= ShortBytes) RowRanges.empty
      else
        RowRanges.of(wanted.ranges.map { rows =>
          RowRange(rows.start * width / BlockBytes, rows.end * width / BlockBytes + 1)
        })
    def bytes(of: RowRange) = RowRange(of.start * BlockBytes, math.min(size, of.end * BlockBytes))
    if (blocks.isEmpty) Vector(RowRange(0, size))
    else if (blocks.count > MostBlocks) Vector(bytes(blocks.hull))
    else blocks.ranges.flatMap(run => run.start until run.end).map(block => bytes(RowRange(block, block + 1)))
  }

  /** Returns the width of the offsets in an index of `size` bytes. */
  private def width(size: Long, rows: Long): Int = {
    val width = size / (rows + 1)
    if (size % (rows + 1) != 0 || !Widths(width))
      throw new LanceFormatException(s"a repetition index of $size bytes for $rows rows")
    if (size > Int.MaxValue - 8)
      throw new UnsupportedLanceFeatureException(s"a repetition index of $size bytes")
    width.toInt
  }
}
