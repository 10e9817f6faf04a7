package io.sparklance.encoding

import io.sparklance.data.{ByteRange, ListBlock, NullMask, RowRange, Slice}

/** A page of a list field's own column, in versions before 2.1: the ends of its lists. The items are rows of
  * the next column; [[ListPages.items]] is their number for each page of lists.
  */
private[sparklance] trait ListPage {

  /** Number of the page's items in lists before `row`. */
  def itemsBefore(row: Long): Long

  /** Appends the lists `some` to `out`, which already has their items. */
  def append(some: RowRange, out: ListBlock, nulls: NullMask): Unit

  /** Returns the longest prefix of `most` with at most `items` items, but at least one list. */
  final def fitting(most: RowRange, items: Long): RowRange = {
    var (good, bad) = (most.start + 1, most.end + 1)
    while (bad - good > 1) {
      val middle = good + (bad - good) / 2
      if (itemsBefore(middle) - itemsBefore(most.start) <= items) good = middle else bad = middle
    }
    RowRange(most.start, good)
  }
}

/** A page of lists before any of its bytes are read. */
private[sparklance] trait ListPagePlan {
  def initRanges: Vector[ByteRange]

  /** The page, given the bytes of `initRanges`. */
  def open(init: Vector[Slice]): ListPage
}
