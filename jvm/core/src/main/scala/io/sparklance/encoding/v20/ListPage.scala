package io.sparklance.encoding.v20

import io.sparklance.data.{ByteRange, ListBlock, NullMask, RowRange, Slice, ValueShape}
import io.sparklance.encoding.PageDescription
import io.sparklance.proto.encodings20.ArrayEncoding.ArrayEncoding.{List => ListEncoding}
import io.sparklance.proto.encodings20.List
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** A page of the column that a list field has in version 2.0: the [[Ends]] of its lists. Their items are rows of the next
  * column, as many for each page of lists as the page says. Message `List`.
  */
final class ListPage private (ends: Ends, rows: Long) {

  /** How many of the page's items belong to lists before `row`. */
  def itemsBefore(row: Long): Long = ends(row - 1)

  /** As many of `most` as have no more than `items`, and one at least. */
  def fitting(most: RowRange, items: Long): RowRange = {
    var (good, bad) = (most.start + 1, most.end + 1)
    while (bad - good > 1) {
      val middle = good + (bad - good) / 2
      if (itemsBefore(middle) - itemsBefore(most.start) <= items) good = middle else bad = middle
    }
    RowRange(most.start, good)
  }

  /** Appends `some` lists to `out`, whose items are there. */
  def append(some: RowRange, out: ListBlock, nulls: NullMask): Unit = {
    if (some.end > rows) throw new LanceFormatException(s"list ${some.end} of a page of $rows")
    val count = Math.toIntExact(some.length)
    out.reserve(count)
    ends.write(some, out.itemCount, out.offsets, out.length + 1)
    out.advance(count)
    ends.appendNulls(some, nulls)
  }
}

object ListPage {

  /** How many items the lists of a page have. */
  def items(page: PageDescription): Long = {
    val items = message(page).numItems
    if (items < 0) throw new LanceFormatException(s"lists of ${java.lang.Long.toUnsignedString(items)} items")
    items
  }

  /** @param wanted the only lists that will be asked for */
  def plan(page: PageDescription, buffers: Vector[ByteRange], rows: Long, wanted: RowRange): Plan =
    new Plan(message(page), buffers, rows, wanted)

  final class Plan private[ListPage] (list: List, buffers: Vector[ByteRange], rows: Long, wanted: RowRange) {
    private val offsets = {
      val needed = Ends.needed(wanted)
      val shape = ValueShape.FixedWidth(64)
      new ArrayPlan.Loaded(ArrayEncodings.plan(list.getOffsets, buffers, needed, shape), needed)
    }
    offsets.check(RowRange(rows - 1, rows))

    def initRanges: Vector[ByteRange] = offsets.initRanges

    def open(init: Vector[Slice]): ListPage = {
      val ends = Ends.load(offsets, init, list.nullOffsetAdjustment, wanted)
      val last = ends(wanted.end - 1)
      if (last > list.numItems)
        throw new LanceFormatException(s"lists that end at item $last of ${list.numItems}")
      if (wanted.end == rows && last < list.numItems)
        throw new UnsupportedLanceFeatureException(s"a page of lists with items behind its last list")
      new ListPage(ends, wanted.end)
    }
  }

  private def message(page: PageDescription): List = page match {
    case PageDescription.Array(encoding) =>
      encoding.arrayEncoding match {
        case ListEncoding(list) => list
        case other => throw new LanceFormatException(s"lists encoded as ${other.getClass.getSimpleName}")
      }
    case _: PageDescription.Structure =>
      throw new LanceFormatException("a column of lists without items, as only version 2.0 has")
  }
}
