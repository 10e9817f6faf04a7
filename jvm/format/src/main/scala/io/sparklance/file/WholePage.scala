package io.sparklance.file

import io.sparklance.data.{ByteRange, Slice}
import io.sparklance.encoding.PageDecoder
import io.sparklance.encoding.pages.PageDescription

/** A page that is read by one request, which saves the round trip for what opens it. */
private[file] object WholePage {

  /** Returns the bytes of a page if they are at most `maxBytes`, and in one place. */
  def of(page: PageMetadata, maxBytes: Long): Option[ByteRange] = page.description match {
    case PageDescription.Structure(_) | PageDescription.Array(_) =>
      val buffers = page.buffers.filter(_.length > 0)
      val start = buffers.iterator.map(_.offset).minOption.getOrElse(0L)
      val end = buffers.iterator.map(_.end).maxOption.getOrElse(0L)
      val padding = buffers.size.toLong * ColumnMetadata.Alignment
      Option.when(end > start && end - start <= math.min(maxBytes, buffers.map(_.length).sum + padding))(
        ByteRange(start, end - start)
      )
    case PageDescription.Batch(_) | PageDescription.Blobs(_) => None
  }

  /** Returns the bytes of a page of which few rows are wanted, if they are so few that one request reads them
    * as fast as what opens the page, and nobody has kept that.
    */
  def small(page: PageMetadata, decoder: PageDecoder, fetcher: Fetcher): Option[ByteRange] = {
    val opening = decoder.initRanges
    val maxBytes = math.min(fetcher.maxGap + opening.map(_.length).sum, fetcher.maxLength)
    of(page, maxBytes).filterNot(_ => fetcher.keeps(opening))
  }

  /** The part `range` of the bytes of a page. */
  def cut(bytes: Slice, page: ByteRange, range: ByteRange): Slice =
    if (range.length == 0) Slice.Empty
    else bytes.slice(range.offset - page.offset, range.length, s"bytes [${range.offset}, ${range.end})")
}
