package io.sparklance.dataset

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.table.deletion.DeletionVector

/** Goes through the wanted rows of a fragment, batch by batch, and tells which of a batch's rows are not deleted.
  *
  * @param wanted offsets in the fragment
  * @param batchRows rows that a batch has at most
  */
final private class LiveRows(wanted: RowRanges, deleted: Option[DeletionVector], batchRows: Int) {
  private var ranges = wanted.ranges.toList
  private var left = wanted.count
  private val scratch = new Array[Int](if (deleted.isEmpty) 0 else batchRows)

  /** Where in the fragment each row of the batch is, deleted or not. */
  val rows: Array[Long] = new Array[Long](batchRows)

  /** The live rows of the batch, by their positions in it. Whoever drops some of them moves the others up. */
  val positions: Array[Int] = new Array[Int](batchRows)

  /** How many of the wanted rows, deleted or not, are still to come. */
  def remaining: Long = left

  /** Where in the fragment a live row of the batch is. */
  def offset(row: Int): Long = rows(positions(row))

  /** How many rows that are not deleted were left behind. */
  def seen: Long = {
    val passed = wanted.slice(0, wanted.count - left)
    passed.count - deleted.fold(0L)(vector => passed.ranges.iterator.map(vector.deletedIn).sum)
  }

  /** Looks at the next `count` rows, and says how many of them are live. */
  def look(count: Int): Int = {
    var seen = 0
    var live = 0
    ranges.iterator.takeWhile(_ => seen < count).foreach { range =>
      val piece = RowRange(range.start, math.min(range.end, range.start + count - seen))
      live += take(piece, seen, live)
      seen += piece.length.toInt
    }
    live
  }

  /** Leaves the next `count` rows behind. */
  def pass(count: Int): Unit = {
    var rest = count.toLong
    while (rest > 0) {
      val range = ranges.head
      val n = math.min(rest, range.length)
      ranges = if (n == range.length) ranges.tail else RowRange(range.start + n, range.end) :: ranges.tail
      rest -= n
    }
    left -= count
  }

  /** @param at where in the batch the piece is
    * @param live where its live rows go
    * @return how many they are
    */
  private def take(piece: RowRange, at: Int, live: Int): Int = {
    val length = piece.length.toInt
    var i = 0
    while (i < length) {
      rows(at + i) = piece.start + i
      i += 1
    }
    val count = deleted.fold(length)(_.livePositions(piece.start, length, scratch))
    i = 0
    while (i < count) {
      positions(live + i) = at + (if (deleted.isEmpty) i else scratch(i))
      i += 1
    }
    count
  }
}
