package io.sparklance.file

import scala.collection.mutable
import scala.util.control.NonFatal

import io.sparklance.data.RowRanges
import io.sparklance.encoding.{DecodeUnit, OpenPage, PageDecoder}
import io.sparklance.{LanceFormatException, Location}

/** What is read of one page. Whatever is wrong with it shows when decoding gets there, not when its bytes are asked for.
  *
  * @param location of the page
  * @param perRow how many rows of the page make one of the file
  * @param decoder what can decode the page
  */
final private[file] class PageReads(
    planned: PlannedPage,
    location: Location,
    scan: ScanReads,
    perRow: Int,
    decoder: => PageDecoder
) {
  private var failure = Option.empty[Throwable]
  private val unopened: Option[PageDecoder] = attempt(decoder)
  private var opened = Option.empty[OpenedPage]
  private var units: Iterator[DecodeUnit] = Iterator.empty
  private var upcoming = Option.empty[DecodeUnit]

  /** Asked for, and not decoded yet. */
  val windows = mutable.Queue.empty[(DecodeUnit, Fetch)]

  /** What opens the page. */
  val init: Fetch =
    unopened.flatMap(page => attempt(scan.fetch(page.initRanges, row))).getOrElse(new Fetch(
      Vector.empty,
      row
    ))

  def isOpen: Boolean = opened.isDefined
  def isBroken: Boolean = failure.isDefined

  /** Whether windows are left that were not asked for, as far as is known. */
  def hasMore: Boolean = !isBroken && (!isOpen || upcoming.isDefined)

  /** The row of the file at which the next of them begins. */
  def row: Long =
    (PageReads.firstRow(planned) + upcoming.fold(0L)(u => math.max(0, u.rows.start - planned.rows.start))) /
      perRow

  /** Opens the page, the bytes for which were asked for, and maybe have come. */
  def open(): Unit =
    unopened.flatMap(page => attempt(page.open(scan.await(init)))).foreach { page =>
      opened = Some(OpenedPage(page, planned.rows, location))
      scan.openedPage()
      units = planned.stretches(scan.maxGap).iterator.flatMap(page.units(_, scan.windowBytes))
      advance()
    }

  /** The next window's bytes, to be asked for. */
  def ask(): Option[Fetch] = upcoming.flatMap { unit =>
    val fetch = attempt(scan.fetch(Vector(unit.bytes), row))
    fetch.foreach(f => windows += unit -> f)
    advance()
    fetch
  }

  def result(): OpenedPage = {
    if (!isOpen && !isBroken) open()
    opened.getOrElse(fail())
  }

  /** Fails if something did. */
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

/** @param wanted which rows of the page are
  * @param location of the page
  */
final private[file] case class OpenedPage(page: OpenPage, wanted: RowRanges, location: Location)
