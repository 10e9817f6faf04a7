package io.sparklance.encoding.v20

import io.sparklance.data.{ByteRange, ListBlock, NullMask, RowRange, Slice}
import io.sparklance.encoding.{EncodedArray, ListPage, ListPagePlan}
import io.sparklance.proto.encodings20.ArrayEncoding.ArrayEncoding.{List => ListEncoding}
import io.sparklance.proto.encodings20.{ArrayEncoding, List}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** A page of a list field's own column in version 2.0: the [[Ends]] of its lists, and a message `List` with
  * the number of their items.
  */
private[encoding] object ListArray {

  /** Returns the number of items of a page's lists. */
  def items(encoding: ArrayEncoding): Long = {
    val items = message(encoding).numItems
    if (items < 0) throw new LanceFormatException(s"lists of ${java.lang.Long.toUnsignedString(items)} items")
    items
  }

  /** Encodes lists. Null lists have no items. */
  def encode(lists: ListBlock, nulls: NullMask): EncodedArray = {
    val adjustment = lists.itemCount + 1L
    val ends = Ends.encode(lists.offsets, lists.length, nulls, adjustment, firstBuffer = 0)
    val message = List(Some(ends.encoding), adjustment, lists.itemCount.toLong)
    ends.copy(encoding = ArrayEncoding(ListEncoding(message)))
  }

  /** @param wanted the only lists that will be requested */
  def plan(
      encoding: ArrayEncoding,
      buffers: Vector[ByteRange],
      rows: Long,
      wanted: RowRange
  ): ListPagePlan = new Plan(message(encoding), buffers, rows, wanted)

  final private class Plan(list: List, buffers: Vector[ByteRange], rows: Long, wanted: RowRange)
      extends ListPagePlan {
    private val offsets = {
      val needed = Ends.needed(wanted)
      new ArrayPlan.Loaded(ArrayEncodings.ends(list.getOffsets, buffers, needed), needed)
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
      new Page(ends, wanted.end)
    }
  }

  final private class Page(ends: Ends, rows: Long) extends ListPage {
    def itemsBefore(row: Long): Long = ends(row - 1)

    def append(some: RowRange, out: ListBlock, nulls: NullMask): Unit = {
      if (some.end > rows) throw new LanceFormatException(s"list ${some.end} of a page of $rows")
      val count = Math.toIntExact(some.length)
      out.reserve(count)
      ends.write(some, out.itemCount, out.offsets, out.length + 1)
      out.advance(count)
      ends.appendNulls(some, nulls)
    }
  }

  private def message(encoding: ArrayEncoding): List = encoding.arrayEncoding match {
    case ListEncoding(list) => list
    case other => throw new LanceFormatException(s"lists encoded as ${other.getClass.getSimpleName}")
  }
}
