package io.sparklance.encoding.pages

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, RowRange}
import io.sparklance.encoding.ListPagePlan
import io.sparklance.encoding.v01.BatchEncoding
import io.sparklance.encoding.v20.ListArray

/** From what describes a page of lists to its decoder. */
private[sparklance] object ListPages {

  /** Returns the number of items of a page's lists. */
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
