package io.sparklance.dataset.scan

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.table.deletion.DeletionVector

/** Goes through the wanted rows of a fragment, batch by batch, and tells which of a batch's rows are not
  * deleted.
  *
  * @param wanted
  *   offsets in the fragment
  * @param batchRows
  *   rows that a batch has at most
  */
final private class LiveRows(wanted: RowRanges, deleted: Option[DeletionVector], batchRows: Int) {
  private var ranges = wanted.ranges.toList
  private var left = wanted.count
  private var passedDeleted = 0L
  private val scratch = new Array[Int](if (deleted.isEmpty) 0 else batchRows)
  private val every = Array.range(0, batchRows)
  // Of the batch, once it is looked at.
  private var pieces = List.empty[RowRange]
  private val offsets = new Array[Long](batchRows)
  private var hasOffsets = false

  /** Positions in the fragment of the batch's rows, deleted or not. Computed on demand, because a filter
    * empties many batches.
    */
  def rows: Array[Long] = {
    if (!hasOffsets) fillOffsets()
    offsets
  }

  /** The live rows of the batch, by their positions in it. Whoever drops some of them moves the others up. */
  val positions: Array[Int] = new Array[Int](batchRows)

  /** Number of wanted rows, deleted or not, that are still to come. */
  def remaining: Long = left

  /** Returns the position of a live row of the batch in the fragment. */
  def offset(row: Int): Long = rows(positions(row))

  /** Number of live rows passed so far. It is read after each batch, so it is counted along the way. */
  def seen: Long = wanted.count - left - passedDeleted

  /** Looks at the next `count` rows, and says how many of them are live. */
  def look(count: Int): Int = {
    pieces = LiveRows.first(ranges, count)
    hasOffsets = false
    deleted.fold {
      System.arraycopy(every, 0, positions, 0, count)
      count
    }(lookForDeleted)
  }

  /** Leaves the next `count` rows behind. */
  def pass(count: Long): Unit = {
    var rest = count
    while (rest > 0) {
      val range = ranges.head
      val n = math.min(rest, range.length)
      deleted.foreach(passedDeleted += _.deletedIn(RowRange(range.start, range.start + n)))
      ranges = if (n == range.length) ranges.tail else RowRange(range.start + n, range.end) :: ranges.tail
      rest -= n
    }
    left -= count
  }

  private def lookForDeleted(deleted: DeletionVector): Int = {
    var seen = 0
    var live = 0
    pieces.foreach { piece =>
      val length = piece.length.toInt
      val count = deleted.livePositions(piece.start, length, scratch)
      var i = 0
      while (i < count) {
        positions(live + i) = seen + scratch(i)
        i += 1
      }
      seen += length
      live += count
    }
    live
  }

  private def fillOffsets(): Unit = {
    var at = 0
    pieces.foreach { piece =>
      val shift = piece.start - at
      val end = at + piece.length.toInt
      while (at < end) {
        offsets(at) = at + shift
        at += 1
      }
    }
    hasOffsets = true
  }
}

private object LiveRows {

  /** The ranges that hold the first `count` rows of `ranges`. */
  private def first(ranges: List[RowRange], count: Int): List[RowRange] = {
    val pieces = List.newBuilder[RowRange]
    var rest = ranges
    var left = count.toLong
    while (left > 0 && rest.nonEmpty) {
      val piece = RowRange(rest.head.start, math.min(rest.head.end, rest.head.start + left))
      pieces += piece
      left -= piece.length
      rest = rest.tail
    }
    pieces.result()
  }
}
