package io.sparklance.file

import scala.collection.mutable

import io.sparklance.Location
import io.sparklance.data.Slice
import io.sparklance.encoding.{DecodeUnit, PageDecoder}

/** What is read of one column, in the order in which it is decoded: of each page first the bytes that open it, then a window
  * after the other. Where the column is read ahead, the bytes that open a page are asked for before the windows of the page
  * in front of it, so that nobody waits at its start.
  *
  * @param perRow how many rows of the column make one of the file
  */
final private[file] class ColumnReads(
    location: Location,
    plan: => Vector[PlannedPage],
    decoder: PlannedPage => PageDecoder,
    scan: ScanReads,
    perRow: Int,
    isAhead: Boolean
) {
  private lazy val pages = {
    val planned = plan
    scan.plannedPages(planned.lastOption.fold(0)(_.index + 1 - planned.head.index))
    planned.iterator.buffered
  }
  // Pages for which something was asked. When decoding has begun, the first is the one that is decoded.
  private val asked = mutable.Queue.empty[PageReads]
  private var current = Option.empty[PageReads]
  private var window = Option.empty[Fetch]

  /** Whether there is something left to ask for. Nothing is behind a page that is broken. */
  def hasMore: Boolean = !asked.exists(_.isBroken) && (asked.exists(_.hasMore) || pages.hasNext)

  /** The row of the file at which that begins. */
  def row: Long = asked.find(_.hasMore).fold(PageReads.firstRow(pages.head) / perRow)(_.row)

  /** The next bytes to ask for; none if there are no more, or if it is not known yet where they are. */
  def ask(): Option[Fetch] = if (!hasMore) None
  else
    asked.find(_.hasMore) match {
      case front if front.forall(page => isAhead && (page eq asked.last)) && pages.hasNext =>
        val planned = pages.next()
        val page =
          new PageReads(planned, location.copy(page = Some(planned.index)), scan, perRow, decoder(planned))
        asked += page
        if (page.init.isEmpty) ask() else Some(page.init)
      case Some(page) if page.isOpen => page.ask()
      case Some(page) if page.init.isDone =>
        page.open()
        ask()
      case _ => None
    }

  /** Waits for what opens the page of which something is to be asked for next. */
  def open(): Unit = asked.find(_.hasMore).filterNot(_.isOpen).foreach(_.open())

  /** Goes on to the next page. */
  def nextPage(): OpenedPage = {
    release()
    current.foreach { page =>
      scan.release(page.init)
      page.windows.foreach { case (_, unused) =>
        scan.await(unused)
        scan.release(unused)
      }
      asked.dequeue()
    }
    scan.askAhead()
    if (asked.isEmpty) demand()
    val page = asked.head
    current = Some(page)
    page.result()
  }

  /** The next stretch of the page, if it has one. Its bytes are valid until another is wanted. */
  def nextWindow(): Option[Window] = {
    release()
    scan.askAhead()
    current.flatMap { page =>
      while (page.windows.isEmpty && page.hasMore) demand()
      if (page.windows.isEmpty) page.check()
      page.windows.removeHeadOption().map { case (unit, fetch) =>
        window = Some(fetch)
        Window(unit, scan.await(fetch).head)
      }
    }
  }

  /** Gives back the bytes of the last window. */
  def release(): Unit = {
    window.foreach(scan.release)
    window = None
  }

  private def demand(): Unit = ask().foreach(fetch => scan.begin(Vector(fetch)))
}

/** A stretch of a page and its bytes. */
final private[file] case class Window(unit: DecodeUnit, bytes: Slice)
