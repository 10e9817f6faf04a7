package io.sparklance.file

import scala.collection.mutable
import scala.util.Try
import scala.util.control.NonFatal

import io.sparklance.data.RowRange
import io.sparklance.encoding.{DecodeUnit, PageDecoder}
import io.sparklance.{LanceFormatException, Location}

/** The reads of chosen rows of one column, in the order of the rows. Pages and chunks without chosen rows are
  * not read, unless most of those around them have some. A failure is thrown when decoding reaches it, not
  * when bytes are requested.
  *
  * @param plan
  *   evaluated at the first read
  * @param wholePageBytes
  *   bytes of pages that are read by one request if many of their rows are chosen
  * @param isAhead
  *   whether bytes are requested before they are needed
  */
final private[file] class SelectedReads(
    location: Location,
    plan: => Vector[PlannedPage],
    decoder: PlannedPage => PageDecoder,
    val chosen: ChosenRows,
    val fetcher: Fetcher,
    wholePageBytes: () => Long,
    isAhead: Boolean
) extends AheadColumn {
  import SelectedReads._

  private lazy val pages = plan
  private var pageIndex = 0
  // The page whose windows are requested.
  private var asked = Option.empty[SelectedPage]
  // The page after that one, if the bytes that open it are requested.
  private var following = Option.empty[SelectedPage]
  private var decoded = Option.empty[SelectedPage]
  // Pages that are requested as a whole, from the decoded one on.
  private val wholes = mutable.Queue.empty[SelectedPage]
  // Windows to be requested: those of the asked page from `next` on.
  private var units: Iterator[DecodeUnit] = Iterator.empty
  private var upcoming = Option.empty[DecodeUnit]
  // The number of the first chosen row that no unit holds, and the row at which the last unit ends.
  private var next = 0L
  private var covered = 0L
  // The end of the last window's bytes.
  private var askedBytes = 0L
  private val windows = mutable.Queue.empty[SelectedWindow]
  private var current = Option.empty[SelectedWindow]
  private var failure = Option.empty[Throwable]

  /** More rows may be chosen at any time. */
  def isEnded: Boolean = failure.isDefined

  def hasMore: Boolean = failure.isEmpty && {
    skipCovered()
    upcoming.isDefined || next < chosen.end
  }

  def hasBegun: Boolean = covered > 0

  def row: Long = (asked, upcoming) match {
    case (Some(page), Some(unit)) => page.firstRow + unit.rows.start
    case _ => chosen(next)
  }

  def ask(): Option[Fetch] = if (!hasMore) None
  else
    attempt {
      if (upcoming.isDefined) askFollowing().orElse(askWindow())
      else {
        val page = pageOf(chosen(next))
        if (page.isWhole) askWhole(page)
        else if (page.isNew) askPage(page)
        else if (page.canOpen) {
          begin(page)
          askFollowing().orElse(askWindow())
        } else None
      }
    }.flatten

  def open(): Unit = if (hasMore && upcoming.isEmpty) {
    val _ = attempt {
      val page = pageOf(chosen(next))
      if (page.isNew) askPage(page).foreach(fetch => fetcher.begin(Vector(fetch)))
      page.open()
    }
  }

  /** The window that holds the chosen row `number`. Windows before it are given back. Rows up to `until`,
    * exclusive, are requested with it if nobody has requested them yet.
    */
  def window(number: Long, until: Long): SelectedWindow = {
    val row = chosen(number)
    var window = current
    while (!window.exists(_.endRow > row)) {
      release()
      window = nextWindow(row).orElse {
        demand(until)
        nextWindow(row)
      }
      window.foreach(begin)
      if (window.isEmpty) throw failure.getOrElse(noWindow(row))
    }
    window.getOrElse(throw noWindow(row))
  }

  /** The next window, if it is requested: the one that holds `row`, or one before it. */
  private def nextWindow(row: Long): Option[SelectedWindow] = {
    while (wholes.headOption.exists(_.endRow <= row)) {
      val passed = wholes.dequeue()
      if (!decoded.contains(passed)) drop(passed)
    }
    wholes.headOption.filter(_.firstRow <= row).flatMap(_.windowAt(row)).orElse(windows.removeHeadOption())
  }

  private def begin(window: SelectedWindow): Unit = {
    turnTo(window.page)
    window.await(fetcher)
    current = Some(window)
  }

  private def noWindow(row: Long) = new IllegalStateException(s"no window holds row $row")

  /** Gives back the bytes of the current window. */
  def release(): Unit = {
    current.foreach(_.release(fetcher))
    current = None
  }

  /** Gives back what the page before `page` needed to be open. */
  private def turnTo(page: SelectedPage): Unit = if (!decoded.contains(page)) {
    decoded.foreach(before => fetcher.release(before.init))
    decoded = Some(page)
  }

  /** Requests windows for rows before `until`, some of them together. */
  private def demand(until: Long): Unit = {
    val fetches = Vector.newBuilder[Fetch]
    var bytes = 0L
    val last = chosen(until - 1)
    while (hasMore && bytes <= ReadBytes && row <= last && !mustOpen)
      ask().foreach { fetch =>
        fetches += fetch
        bytes += fetch.cost
      }
    fetcher.begin(fetches.result())
    if (windows.isEmpty && wholes.isEmpty && hasMore) {
      open()
      demand(until)
    }
  }

  /** Whether a page must be opened before more can be requested. */
  private def mustOpen: Boolean = upcoming.isEmpty && {
    val page = pageOf(chosen(next))
    !page.isNew && !page.isWhole && !page.canOpen
  }

  private def skipCovered(): Unit = {
    next = math.max(next, chosen.first)
    if (next < chosen.end && chosen(next) < covered) next = chosen.find(covered, next)
  }

  private def pageOf(row: Long): SelectedPage = {
    if (pages(pageIndex).page.endRow <= row) {
      while (pages(pageIndex).page.endRow <= row) pageIndex += 1
      asked = following.filter(_.endRow > row)
      if (asked.isEmpty) following.foreach(drop)
      following = None
    }
    val found = asked.getOrElse(page(pageIndex))
    asked = Some(found)
    found
  }

  private def page(index: Int): SelectedPage = {
    val planned = pages(index)
    val whole = WholePage.of(planned.page, largest).filter { bytes =>
      bytes.length <= fetcher.maxGap ||
      2 * planned.rows.count >= planned.page.rows && isDense(planned, bytes.length)
    }
    new SelectedPage(planned, location.copy(page = Some(planned.index)), decoder, fetcher, whole)
  }

  /** The largest request of bytes that may belong to rows which are not chosen. */
  private def largest: Long = if (isAhead) math.min(wholePageBytes(), fetcher.maxLength) else 0L

  /** Whether chosen rows are probably so near each other that the gaps between them would be read. `bytes`
    * are those of the page's wanted rows.
    */
  private def isDense(page: PlannedPage, bytes: Long): Boolean =
    expected(page) * fetcher.maxGap >= 2.0 * bytes

  private def askWhole(page: SelectedPage): Option[Fetch] = {
    val init = page.init
    covered = page.endRow
    wholes += page
    if (page.isNew) {
      page.isNew = false
      Some(init)
    } else ask()
  }

  private def askPage(page: SelectedPage): Option[Fetch] = {
    page.isNew = false
    if (page.init.isEmpty) ask() else Some(page.init)
  }

  /** Requests what opens the next page before the windows of a page, if rows of it will probably be chosen.
    */
  private def askFollowing(): Option[Fetch] =
    if (!isAhead || following.isDefined || !fetcher.hasRoom) None
    else
      pages.lift(pageIndex + 1).filter(isLikely).flatMap { _ =>
        val page = this.page(pageIndex + 1)
        following = Some(page)
        page.isNew = false
        // A page that is broken fails when its rows are asked for.
        Try(page.init).toOption.filterNot(_.isEmpty)
      }

  /** Whether a page has chosen rows; an estimate if its rows are not examined yet. */
  private def isLikely(page: PlannedPage): Boolean =
    if (chosen(chosen.end - 1) >= page.page.firstRow) known(page) > 0 else expected(page) >= 2

  /** The number of chosen rows of a page, so far. */
  private def known(page: PlannedPage): Long =
    chosen.find(page.page.endRow, next) - chosen.find(page.page.firstRow, next)

  /** Estimates the number of chosen rows of a page, from the frequency of such rows where it is not examined.
    */
  private def expected(page: PlannedPage): Double = {
    val last = chosen(chosen.end - 1)
    val examined = last + 1 - (pages.head.page.firstRow + pages.head.rows.start)
    val unexamined = math.min(page.rows.count, math.max(0L, page.page.endRow - last - 1))
    known(page) + unexamined.toDouble * chosen.end / examined
  }

  /** Gives back what was requested to open a page that has no chosen row. */
  private def drop(page: SelectedPage): Unit = Try(page.init).foreach { init =>
    // Nobody needs its bytes, so that a failed read of them does not matter.
    val _ = Try(fetcher.await(init))
    fetcher.release(init)
  }

  /** Finds the next units to request of an open page. Each holds a chosen row, because only decoding takes
    * windows from the queue.
    */
  private def begin(page: SelectedPage): Unit = {
    skipCovered()
    val start = chosen(next) - page.firstRow
    units = page.locating(stretch(page, start).fold(near(page, start))(large(page, _)))
    advance(page, start)
    if (upcoming.isEmpty) throw page.without(start)
  }

  /** The units of the next chosen rows, as far as these are near each other. */
  private def near(page: SelectedPage, start: Long): Iterator[DecodeUnit] = {
    val last = chosen.lastNear(next, chosen.end, page.gap.toLong, page.endRow)
    page.open().units(RowRange(start, chosen(last) - page.firstRow + 1), fetcher.windowBytes)
  }

  /** A large unit that begins with the next chosen row, whether or not its other rows are examined. */
  private def large(page: SelectedPage, rows: RowRange): Iterator[DecodeUnit] =
    page.open().units(rows, math.max(largest / 2, fetcher.windowBytes.toLong).toInt).take(1)

  /** The wanted rows of the page from row `start` on, without gaps, if they are dense. */
  private def stretch(page: SelectedPage, start: Long): Option[RowRange] =
    Option.when(isAhead && isDense(page.joined, page.joined.hullBytes)) {
      val rows = page.joined.rows
      RowRange(start, rows.ranges(rows.firstEndingAfter(start)).end)
    }

  private def askWindow(): Option[Fetch] = for (page <- asked; unit <- upcoming) yield {
    val gap = unit.bytes.offset - askedBytes
    val charged = if (gap > 0 && gap <= fetcher.maxGap) gap else 0
    val fetch = page.locating(fetcher.fetch(Vector(unit.bytes), page.firstRow + unit.rows.start, charged))
    askedBytes = unit.bytes.end
    windows += new SelectedWindow(page, unit, Some(fetch))
    covered = page.firstRow + unit.rows.end
    // A failure of the next unit does not concern this one.
    val _ = attempt(advance(page, unit.rows.end))
    fetch
  }

  /** Goes to the next unit, which must hold row `start` of the page. */
  private def advance(page: SelectedPage, start: Long): Unit = page.locating {
    upcoming = units.nextOption()
    upcoming.foreach { unit =>
      if (unit.rows.start > start || unit.rows.end <= start)
        throw new LanceFormatException(s"rows ${unit.rows} where row $start of the page should be")
    }
  }

  private def attempt[A](body: => A): Option[A] =
    try Some(body)
    catch {
      case NonFatal(e) =>
        failure = Some(e)
        upcoming = None
        None
    }
}

private object SelectedReads {

  /** Approximate size of what is requested together if nothing is requested ahead. */
  final private val ReadBytes = 1L << 20
}
