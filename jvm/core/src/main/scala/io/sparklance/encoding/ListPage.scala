package io.sparklance.encoding

import io.sparklance.data.{ByteRange, ListBlock, NullMask, RowRange, Slice}

/** A page of the column that a list field has before version 2.1: where its lists end. Their items are rows of the next
  * column, as many for each page of lists as [[ListPages.items]] says.
  */
trait ListPage {

  /** How many of the page's items belong to lists before `row`. */
  def itemsBefore(row: Long): Long

  /** Appends `some` lists to `out`, whose items are there. */
  def append(some: RowRange, out: ListBlock, nulls: NullMask): Unit

  /** As many of `most` as have no more than `items`, and one at least. */
  final def fitting(most: RowRange, items: Long): RowRange = {
    var (good, bad) = (most.start + 1, most.end + 1)
    while (bad - good > 1) {
      val middle = good + (bad - good) / 2
      if (itemsBefore(middle) - itemsBefore(most.start) <= items) good = middle else bad = middle
    }
    RowRange(most.start, good)
  }
}

/** A page of lists before any of its bytes were read. */
trait ListPagePlan {
  def initRanges: Vector[ByteRange]

  /** The page, given the bytes of `initRanges`. */
  def open(init: Vector[Slice]): ListPage
}
