package io.sparklance.file

import scala.util.Try

import io.sparklance.data.{ByteRange, RowRange, Slice}
import io.sparklance.encoding.{DecodeUnit, OpenPage, PageDecoder}
import io.sparklance.{LanceFormatException, Location}

/** A page with chosen rows.
  *
  * @param whole
  *   its bytes, if they are read by one request
  */
final private[file] class SelectedPage(
    planned: PlannedPage,
    location: Location,
    decoder: PlannedPage => PageDecoder,
    fetcher: Fetcher,
    whole: Option[ByteRange]
) {
  private lazy val unopened = locating(decoder(planned.hull))
  private var opened = Option.empty[OpenPage]
  val firstRow: Long = planned.page.firstRow
  val endRow: Long = planned.page.endRow

  /** Rows that are not chosen, and cheaper decoded than left out. */
  val gap: Int = planned.rowsOf(SelectedPage.GapBytes)

  /** The page, with wanted rows whose gaps would be read joined. */
  lazy val joined: PlannedPage = planned.joined(fetcher.maxGap)

  /** Whether the bytes that open it have not been requested. */
  var isNew = true

  /** Whether all bytes of the page are those that open it. */
  def isWhole: Boolean = whole.isDefined

  /** The bytes that open the page, or all of them. */
  lazy val init: Fetch = {
    val row = firstRow + planned.rows.start
    locating(whole.fold(fetcher.fetchOpening(unopened.initRanges, row))(all =>
      fetcher.fetch(Vector(all), row)
    ))
  }

  /** Whether it can be opened, or is known to be broken, without waiting. */
  def canOpen: Boolean = opened.isDefined || Try(init.isDone).getOrElse(true)

  /** Waits for the bytes that open the page. */
  def open(): OpenPage = opened.getOrElse {
    val page = locating(unopened.open(initBytes))
    fetcher.openedPage()
    opened = Some(page)
    page
  }

  private def initBytes: Vector[Slice] = {
    val bytes = fetcher.await(init)
    whole.fold {
      fetcher.keep(unopened.initRanges, bytes)
      bytes
    }(all => unopened.initRanges.map(WholePage.cut(bytes.head, all, _)))
  }

  /** The window of a whole page that begins with row `row` of the fragment. */
  def windowAt(row: Long): Option[SelectedWindow] = locating {
    open().units(RowRange(row - firstRow, planned.rows.end), fetcher.windowBytes).nextOption()
  }.map(new SelectedWindow(this, _, None))

  /** The bytes of a unit of a whole page. */
  def bytesOf(unit: DecodeUnit): Slice =
    whole.fold(Slice.Empty)(all => WholePage.cut(fetcher.await(init).head, all, unit.bytes))

  /** Frees the charge for a whole page up to the end of a unit. */
  def spend(unit: DecodeUnit): Unit = whole.foreach { all =>
    if (unit.bytes.length > 0) fetcher.spend(init, unit.bytes.end - all.offset)
  }

  def locating[A](body: => A): A = LanceFormatException.locating(location)(body)

  def locatingAt[A](offset: Long)(body: => A): A =
    LanceFormatException.locating(location.copy(offset = Some(offset)))(body)

  def without(row: Long): LanceFormatException =
    new LanceFormatException(s"no chunk holds row $row of the page", location)
}

private object SelectedPage {
  final private val GapBytes = 4L << 10
}

/** Rows of a page and their bytes, once these are awaited.
  *
  * @param fetch
  *   None for a part of a whole page
  */
final private[file] class SelectedWindow(val page: SelectedPage, unit: DecodeUnit, fetch: Option[Fetch]) {
  private var window = Window(unit, Slice.Empty)

  /** The row of the fragment at which it ends. */
  val endRow: Long = page.firstRow + unit.rows.end

  def await(fetcher: Fetcher): Unit =
    window = Window(unit, page.locating(fetch.fold(page.bytesOf(unit))(fetcher.await(_).head)))

  /** Gives back the bytes. */
  def release(fetcher: Fetcher): Unit = fetch.fold(page.spend(unit))(fetcher.release)

  /** Hands over units of the window that hold the rows `[start, end)` of the fragment, and their bytes. */
  def foreach(start: Long, end: Long)(use: (OpenPage, DecodeUnit, Slice) => Unit): Unit =
    page.locatingAt(unit.bytes.offset) {
      val open = page.open()
      open.units(RowRange(start - page.firstRow, end - page.firstRow), Int.MaxValue).foreach { part =>
        use(open, part, window.bytesOf(part))
      }
    }
}
