package io.sparklance.file

import scala.collection.mutable
import scala.util.control.NonFatal

import io.sparklance.data.{ByteRange, RowRanges, Slice}
import io.sparklance.encoding.{DecodeUnit, OpenPage, PageDecoder}
import io.sparklance.{LanceFormatException, Location}

/** The reads of one page. A failure is thrown when decoding reaches the page, not when its bytes are
  * requested.
  *
  * @param location
  *   of the page
  * @param perRow
  *   rows of the page for each row of the file
  * @param decoder
  *   decodes the page's wanted rows, and those in short gaps between them
  * @param wholeBytes
  *   bytes of a page that is read by one request, at most
  */
final private[file] class PageReads(
    planned: PlannedPage,
    location: Location,
    fetcher: Fetcher,
    perRow: Int,
    decoder: => PageDecoder,
    wholeBytes: Long
) {
  private var failure = Option.empty[Throwable]
  private val unopened: Option[PageDecoder] = attempt(decoder)
  private val whole: Option[ByteRange] = unopened.flatMap { page =>
    if (planned.isAll) WholePage.of(planned.page, wholeBytes)
    else WholePage.small(planned.page, page, fetcher)
  }
  private var opened = Option.empty[OpenedPage]
  private var units: Iterator[DecodeUnit] = Iterator.empty
  private var upcoming = Option.empty[DecodeUnit]

  /** Requested and not decoded yet. */
  val windows: mutable.Queue[(DecodeUnit, Fetch)] = mutable.Queue.empty[(DecodeUnit, Fetch)]

  /** The bytes that open the page, or all of them. */
  val init: Fetch =
    unopened.flatMap(page => attempt(fetchOpening(page))).getOrElse(new Fetch(Vector.empty, row))

  /** Whether all bytes of the page are those that open it. */
  def isWhole: Boolean = whole.isDefined

  def isOpen: Boolean = opened.isDefined
  def isBroken: Boolean = failure.isDefined

  /** Whether windows may be left to request. */
  def hasMore: Boolean = !isBroken && !isWhole && (!isOpen || upcoming.isDefined)

  /** The row of the file at which the next window begins. */
  def row: Long =
    (PageReads.firstRow(planned) + upcoming.fold(0L)(u => math.max(0, u.rows.start - planned.rows.start))) /
      perRow

  /** Waits for the requested bytes that open the page, and opens it. */
  def open(): Unit =
    unopened.flatMap(page => attempt(page.open(initBytes(page)))).foreach { page =>
      opened = Some(OpenedPage(page, planned.rows, location))
      fetcher.openedPage()
      val stretches = planned.joined(fetcher.maxGap).rows.ranges
      units = stretches.iterator.flatMap(page.units(_, fetcher.windowBytes))
      advance()
    }

  /** A scan of whole pages would displace what others keep. */
  private def fetchOpening(page: PageDecoder): Fetch = whole match {
    case Some(all) => fetcher.fetch(Vector(all), row)
    case None if planned.isAll => fetcher.fetch(page.initRanges, row)
    case None => fetcher.fetchOpening(page.initRanges, row)
  }

  private def initBytes(page: PageDecoder): Vector[Slice] = {
    val awaited = fetcher.await(init)
    val bytes = whole.fold(awaited)(all => page.initRanges.map(WholePage.cut(awaited.head, all, _)))
    if (!planned.isAll) fetcher.keep(page.initRanges, bytes)
    bytes
  }

  /** The next window of a page that is requested as a whole and open. */
  def nextOfWhole(): Option[Window] = for (all <- whole; unit <- upcoming) yield {
    val bytes = fetcher.await(init).head
    advance()
    Window(unit, LanceFormatException.locating(location)(WholePage.cut(bytes, all, unit.bytes)))
  }

  /** Frees the charge for a page that is requested as a whole, up to the end of a window. */
  def spend(window: Window): Unit = whole.foreach { all =>
    if (window.unit.bytes.length > 0) fetcher.spend(init, window.unit.bytes.end - all.offset)
  }

  /** The bytes of the next window, to request. */
  def ask(): Option[Fetch] = upcoming.flatMap { unit =>
    val fetch = attempt(fetcher.fetch(Vector(unit.bytes), row))
    fetch.foreach(f => windows += unit -> f)
    advance()
    fetch
  }

  def result(): OpenedPage = {
    if (!isOpen && !isBroken) open()
    opened.getOrElse(fail())
  }

  /** Throws the failure of the page, if there is one. */
  def check(): Unit = if (isBroken) fail()

  private def fail(): Nothing = throw failure.getOrElse(new IllegalStateException(s"$location is not open"))

  private def advance(): Unit = upcoming = attempt(units.nextOption()).flatten

  private def attempt[A](body: => A): Option[A] =
    if (isBroken) None
    else
      try Some(LanceFormatException.locating(location)(body))
      catch {
        case NonFatal(e) =>
          failure = Some(e)
          None
      }
}

private[file] object PageReads {
  def firstRow(planned: PlannedPage): Long = planned.page.firstRow + planned.rows.start
}

/** An open page and the rows that are read of it.
  *
  * @param wanted
  *   the wanted rows of the page
  * @param location
  *   of the page
  */
final private[file] case class OpenedPage(page: OpenPage, wanted: RowRanges, location: Location)
