package io.sparklance.encoding.v01

import io.sparklance.data.{ByteRange, ListBlock, NullMask, RowRange, Slice}
import io.sparklance.encoding.{ListPage, ListPagePlan}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** The lists of a batch: their [[Bounds]] among its items, of 32 or, for large lists, 64 bits. The items are
  * the page that the next field has for the batch. Null lists are stored as empty ones.
  *
  * @param offsets
  *   position of the bounds
  */
final private[v01] class BatchLists(
    lists: BatchEncoding.Lists,
    offsets: ByteRange,
    rows: Long,
    wanted: RowRange
) extends ListPagePlan {
  private val needed = Bounds.needed(offsets, lists.offsetBits, wanted)

  def initRanges: Vector[ByteRange] = Vector(needed)

  def open(init: Vector[Slice]): ListPage = {
    val bounds = Bounds.load(init.head, lists.offsetBits, wanted, RowRange(0, lists.items))
    // The cursor of the items moves from one batch to the next without a gap.
    val outside = wanted.start == 0 && bounds(0) > 0 || wanted.end == rows && bounds(rows) < lists.items
    if (outside)
      throw new UnsupportedLanceFeatureException("a batch of lists with items outside of its lists")
    new Page(bounds)
  }

  final private class Page(bounds: Bounds) extends ListPage {
    def itemsBefore(row: Long): Long = bounds(row)

    def append(some: RowRange, out: ListBlock, nulls: NullMask): Unit = {
      if (some.end > wanted.end) throw new LanceFormatException(s"list ${some.end} of ${wanted.end}")
      val count = Math.toIntExact(some.length)
      out.reserve(count)
      bounds.write(some, out.itemCount, out.offsets, out.length + 1)
      out.advance(count)
      nulls.appendValid(count)
    }
  }
}
