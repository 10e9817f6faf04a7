package io.sparklance.file

import scala.util.Try

import io.sparklance.data.{RowRange, Slice}
import io.sparklance.encoding.{DecodeUnit, OpenPage, PageDecoder}
import io.sparklance.{LanceFormatException, Location}

/** A page with chosen rows. */
final private[file] class SelectedPage(
    planned: PlannedPage,
    location: Location,
    decoder: PlannedPage => PageDecoder,
    fetcher: Fetcher
) {
  private lazy val unopened = locating(decoder(planned))
  private var opened = Option.empty[OpenPage]
  val firstRow: Long = planned.page.firstRow
  val endRow: Long = planned.page.endRow

  /** Rows that are not chosen, and cheaper decoded than left out. */
  val gap: Int = planned.rowsOf(SelectedPage.GapBytes)

  /** Whether the bytes that open it have not been requested. */
  var isNew = true

  /** The bytes that open the page. */
  lazy val init: Fetch = locating(fetcher.fetch(unopened.initRanges, firstRow + planned.rows.start))

  /** Whether it can be opened, or is known to be broken, without waiting. */
  def canOpen: Boolean = opened.isDefined || Try(init.isDone).getOrElse(true)

  /** Waits for the bytes that open the page. */
  def open(): OpenPage = opened.getOrElse {
    val page = locating(unopened.open(fetcher.await(init)))
    fetcher.openedPage()
    opened = Some(page)
    page
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

/** Rows of a page and their bytes, once these are awaited. */
final private[file] class SelectedWindow(val page: SelectedPage, unit: DecodeUnit, val fetch: Fetch) {
  private var window = Window(unit, Slice.Empty)

  /** The row of the fragment at which it ends. */
  val endRow: Long = page.firstRow + unit.rows.end

  def await(fetcher: Fetcher): Unit = window = Window(unit, page.locating(fetcher.await(fetch).head))

  /** Hands over units of the window that hold the rows `[start, end)` of the fragment, and their bytes. */
  def foreach(start: Long, end: Long)(use: (OpenPage, DecodeUnit, Slice) => Unit): Unit =
    page.locatingAt(unit.bytes.offset) {
      val open = page.open()
      open.units(RowRange(start - page.firstRow, end - page.firstRow), Int.MaxValue).foreach { part =>
        use(open, part, window.bytesOf(part))
      }
    }
}
