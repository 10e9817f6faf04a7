package io.sparklance.table.deletion

import org.roaringbitmap.RoaringBitmap

import io.sparklance.data.RowRange

/** The deleted rows of a fragment, by their physical offsets: 32 bits, unsigned. */
final class DeletionVector private[deletion] (bitmap: RoaringBitmap) {

  /** How many rows are deleted. */
  def cardinality: Long = bitmap.getLongCardinality

  def isDeleted(row: Long): Boolean = row >= 0 && row <= 0xffffffffL && bitmap.contains(row.toInt)

  /** How many of some rows are deleted. */
  def deletedIn(rows: RowRange): Long = bitmap.rangeCardinality(rows.start, rows.end)

  /** The highest deleted offset, -1 if none is. */
  private[deletion] def last: Long = if (bitmap.isEmpty) -1 else Integer.toUnsignedLong(bitmap.last())

  /** Which of the rows `[firstRow, firstRow + count)` are live: writes their positions, counted from `firstRow`, to
    * `out` and returns how many they are.
    */
  def livePositions(firstRow: Long, count: Int, out: Array[Int]): Int = {
    require(firstRow >= 0 && count >= 0 && firstRow + count <= (1L << 32), s"$count rows from $firstRow")
    val deleted = bitmap.getIntIterator
    deleted.advanceIfNeeded(firstRow.toInt)
    var live = 0
    var position = 0
    while (position < count) {
      val next = if (deleted.hasNext) Integer.toUnsignedLong(deleted.next()) - firstRow else count.toLong
      val end = math.min(next, count.toLong).toInt
      while (position < end) {
        out(live) = position
        live += 1
        position += 1
      }
      position += 1
    }
    live
  }
}
