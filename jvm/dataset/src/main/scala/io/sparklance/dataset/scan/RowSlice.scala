package io.sparklance.dataset.scan

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.snapshot.{RowAddress, Snapshot}
import io.sparklance.table.Fragment

/** The rows of a query with OFFSET and LIMIT.
  *
  * @param offset
  *   number of rows to skip
  * @param limit
  *   number of rows after these; all if None
  */
final private[sparklance] case class RowSlice(offset: Long, limit: Option[Long]) {
  require(offset >= 0 && limit.forall(_ >= 0), toString)

  def isAll: Boolean = offset == 0 && limit.isEmpty

  /** Returns the number of remaining rows among `rows`. */
  def of(rows: Long): Long = math.min(math.max(0, rows - offset), limit.getOrElse(Long.MaxValue))

  /** The addresses of the slice of the live rows of a table that are selected, in its order. Deletion files
    * are read where they decide where the slice begins and ends.
    */
  def of(snapshot: Snapshot, selection: RowRanges): RowRanges =
    if (isAll) selection
    else
      snapshot.locating {
        val kept = Vector.newBuilder[RowRange]
        var skip = offset
        var left = limit
        val fragments = snapshot.fragments.iterator
        while (left.forall(_ > 0) && fragments.hasNext) {
          val fragment = fragments.next()
          val rows = new SelectedRows(snapshot, fragment, snapshot.rowsOf(fragment, selection))
          val from = rows.behind(skip)
          val until = left.fold(rows.all.count)(n => rows.behind(RowSlice.sum(skip, n)))
          val slice = rows.all.slice(from, until)
          kept ++= slice.relativeTo(-RowAddress.first(fragment.id)).ranges
          if (skip > 0 || left.nonEmpty) {
            val taken = math.max(0, rows.live - skip)
            skip = math.max(0, skip - rows.live)
            left = left.map(n => math.max(0, n - taken))
          }
        }
        RowRanges.of(kept.result())
      }
}

private[sparklance] object RowSlice {
  val all: RowSlice = RowSlice(0, None)

  private def sum(a: Long, b: Long): Long = if (a > Long.MaxValue - b) Long.MaxValue else a + b
}

/** Selected rows of a fragment, with and without the deleted ones.
  *
  * @param all
  *   offsets of selected rows, deleted ones among them
  */
final private class SelectedRows(snapshot: Snapshot, fragment: Fragment, val all: RowRanges) {
  private lazy val deleted = snapshot.deletionVector(fragment)

  lazy val live: Long = {
    val told = fragment.deletionFile.fold(Option(0L))(_.deletedRows)
    if (fragment.deletionFile.isEmpty) all.count
    else if (all.count == snapshot.physicalRows(fragment) && told.nonEmpty) all.count - told.sum
    else liveIn(all)
  }

  /** Returns a number of leading rows that contain `count` live ones; all rows if there are not more. */
  def behind(count: Long): Long =
    if (count == 0) 0 else if (count >= live) all.count else place(count - 1) + 1

  /** Returns how many rows are before the live row with a number, which is below `live`. */
  def place(number: Long): Long =
    if (fragment.deletionFile.isEmpty) number
    else {
      var (tooFew, enough) = (0L, all.count)
      while (enough - tooFew > 1) {
        val middle = tooFew + (enough - tooFew) / 2
        if (liveIn(all.slice(0, middle)) > number) enough = middle else tooFew = middle
      }
      enough - 1
    }

  private def liveIn(rows: RowRanges): Long =
    rows.count - deleted.fold(0L)(vector => rows.ranges.iterator.map(vector.deletedIn).sum)
}
