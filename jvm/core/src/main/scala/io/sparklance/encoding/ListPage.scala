package io.sparklance.encoding

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, ListBlock, NullMask, RowRange, Slice}
import io.sparklance.encoding.v01.BatchEncoding
import io.sparklance.encoding.v20.ListArray

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

/** From what describes a page of lists to its decoder. */
object ListPages {

  /** How many items the lists of a page have. */
  def items(page: PageDescription): Long = page match {
    case PageDescription.Batch(BatchEncoding.Lists(_, items)) => items
    case PageDescription.Array(encoding) => ListArray.items(encoding)
    case _: PageDescription.Batch | _: PageDescription.Blobs | _: PageDescription.Structure => noLists(page)
  }

  /** @param wanted the only lists that will be asked for */
  def plan(
      page: PageDescription,
      buffers: Vector[ByteRange],
      rows: Long,
      wanted: RowRange
  ): ListPagePlan = page match {
    case PageDescription.Batch(lists: BatchEncoding.Lists) => lists.plan(buffers, rows, wanted)
    case PageDescription.Array(encoding) => ListArray.plan(encoding, buffers, rows, wanted)
    case _: PageDescription.Batch | _: PageDescription.Blobs | _: PageDescription.Structure => noLists(page)
  }

  private def noLists(page: PageDescription): Nothing =
    throw new LanceFormatException(s"a page without lists where lists are expected: $page")
}
