package io.sparklance.dataset

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.table.deletion.DeletionVector

/** Goes through the wanted rows of a fragment, batch by batch, and tells which of a batch's rows are not deleted.
  *
  * @param rows offsets in the fragment
  * @param batchRows rows that a batch has at most
  */
final private class LiveRows(rows: RowRanges, deleted: Option[DeletionVector], batchRows: Int) {
  private var ranges = rows.ranges.toList
  private val offsets = new Array[Long](batchRows)
  private val scratch = new Array[Int](if (deleted.isEmpty) 0 else batchRows)
  private var left = rows.count

  /** The live rows of the batch, by their positions in it. Positions behind the last are of older batches. */
  val positions: Array[Int] = new Array[Int](if (deleted.isEmpty) 0 else batchRows)

  /** How many of the wanted rows, deleted or not, are still to come. */
  def remaining: Long = left

  /** Where in the fragment a live row of the batch is. */
  def offset(row: Int): Long = offsets(row)

  /** Moves over the next `count` rows, and says how many of them are live. */
  def advance(count: Int): Int = {
    var passed = 0
    var live = 0
    while (passed < count) {
      val range = ranges.head
      val piece = RowRange(range.start, math.min(range.end, range.start + count - passed))
      live += take(piece, passed, live)
      passed += piece.length.toInt
      ranges = if (piece.end == range.end) ranges.tail else RowRange(piece.end, range.end) :: ranges.tail
    }
    left -= count
    live
  }

  /** @param at where in the batch the piece is
    * @param live where its live rows go
    * @return how many they are
    */
  private def take(piece: RowRange, at: Int, live: Int): Int = {
    val length = piece.length.toInt
    val count = deleted.fold(length)(_.livePositions(piece.start, length, scratch))
    var i = 0
    while (i < count) {
      val position = if (deleted.isEmpty) i else scratch(i)
      offsets(live + i) = piece.start + position
      if (deleted.isDefined) positions(live + i) = at + position
      i += 1
    }
    count
  }
}
