package io.sparklance.file

import scala.collection.mutable

import io.sparklance.Location
import io.sparklance.data.Slice
import io.sparklance.encoding.{DecodeUnit, PageDecoder}

/** The reads of one column, in the order in which it is decoded: for each page, the bytes that open it, then
  * its windows. If the column is read ahead, the bytes that open a page are requested before the windows of
  * the page before it, so that decoding does not wait at the start of a page.
  *
  * @param perRow
  *   rows of the column for each row of the file
  * @param wholePageBytes
  *   bytes of pages that are read by one request
  */
final private[file] class ColumnReads(
    location: Location,
    plan: => Vector[PlannedPage],
    decoder: PlannedPage => PageDecoder,
    val fetcher: Fetcher,
    perRow: Int,
    wholePageBytes: () => Long,
    isAhead: Boolean
) extends AheadColumn {
  private lazy val pages = {
    val planned = plan
    fetcher.plannedPages(planned.lastOption.fold(0)(_.index + 1 - planned.head.index))
    planned.iterator.buffered
  }
  // Pages with requested bytes. Once decoding has begun, the first is the one being decoded.
  private val asked = mutable.Queue.empty[PageReads]
  private var current = Option.empty[PageReads]
  // Gives back the last window.
  private var giveBack = Option.empty[() => Unit]

  def isEnded: Boolean = !hasMore

  /** A broken page ends the column. */
  def hasMore: Boolean = !asked.exists(_.isBroken) && (asked.exists(_.hasMore) || pages.hasNext)

  def hasBegun: Boolean = current.isDefined ||
    asked.headOption.exists(page => page.isOpen || page.isWhole || page.isBroken)

  def row: Long = asked.find(_.hasMore).fold(PageReads.firstRow(pages.head) / perRow)(_.row)

  def ask(): Option[Fetch] = if (!hasMore) None
  else
    asked.find(_.hasMore) match {
      case front if front.forall(page => isAhead && (page eq asked.last)) && pages.hasNext =>
        val planned = pages.next()
        val page = new PageReads(
          planned,
          location.copy(page = Some(planned.index)),
          fetcher,
          perRow,
          decoder(planned.joined(fetcher.maxGap)),
          math.min(wholePageBytes(), fetcher.maxLength)
        )
        asked += page
        if (page.init.isEmpty) ask() else Some(page.init)
      case Some(page) if page.isOpen => page.ask()
      case Some(page) if page.init.isDone =>
        page.open()
        ask()
      case _ => None
    }

  def open(): Unit = asked.find(_.hasMore).filterNot(_.isOpen).foreach(_.open())

  /** Gives back what is left of the current page. */
  def finishPage(): Unit = {
    release()
    current.foreach { page =>
      fetcher.release(page.init)
      page.windows.foreach { case (_, unused) =>
        fetcher.await(unused)
        fetcher.release(unused)
      }
      asked.dequeue()
    }
    current = None
  }

  /** Opens the next page. */
  def beginPage(): OpenedPage = {
    if (asked.isEmpty) demand()
    val page = asked.head
    current = Some(page)
    page.result()
  }

  /** The next window of the current page, if it has one. Its bytes are valid until [[release]]. */
  def nextWindow(): Option[Window] = current.flatMap { page =>
    if (page.isWhole) nextOfWhole(page)
    else {
      while (page.windows.isEmpty && page.hasMore) demand()
      if (page.windows.isEmpty) page.check()
      page.windows.removeHeadOption().map { case (unit, fetch) =>
        giveBack = Some(() => fetcher.release(fetch))
        Window(unit, fetcher.await(fetch).head)
      }
    }
  }

  private def nextOfWhole(page: PageReads): Option[Window] = {
    val next = page.nextOfWhole()
    if (next.isEmpty) page.check()
    next.foreach(window => giveBack = Some(() => page.spend(window)))
    next
  }

  /** Gives back the bytes of the last window. */
  def release(): Unit = {
    giveBack.foreach(_())
    giveBack = None
  }

  private def demand(): Unit = ask().foreach(fetch => fetcher.begin(Vector(fetch)))
}

/** A run of a page's rows and its bytes. */
final private[file] case class Window(unit: DecodeUnit, bytes: Slice) {

  /** The bytes of a part of the rows. */
  def bytesOf(part: DecodeUnit): Slice = bytes.slice(
    if (part.bytes.length == 0) 0 else part.bytes.offset - unit.bytes.offset,
    part.bytes.length,
    s"a chunk of rows ${part.rows}"
  )
}
