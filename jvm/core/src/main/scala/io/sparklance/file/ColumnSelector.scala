package io.sparklance.file

import io.sparklance.data.{Column, FileVersion, RowRange, Slice, ValueShape}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.encoding.{DecodeUnit, OpenPage}
import io.sparklance.schema.Leaf
import io.sparklance.{LanceFormatException, Location}

/** Decodes chosen rows of a column. Pages and chunks that have none of them are neither read nor decoded;
  * what a chunk has behind the last chosen row is kept, since the next may be in it.
  *
  * @param plan
  *   evaluated when the first row is asked for
  */
final private[file] class ColumnSelector(
    location: Location,
    plan: => Vector[PlannedPage],
    leaf: Leaf,
    version: FileVersion,
    fetcher: Fetcher
) extends BufferedSelector {
  private val values = new LeafColumn(leaf)
  import values.shape
  val column: Column = values.column

  private lazy val pages = plan
  private var pageIndex = 0
  private var opened: Option[SelectedPage] = None
  // The row behind the column's last, of those that were decoded in one go.
  private var end = 0L

  private val valueBytes = math.max(1L, ValueShape.minimumBytes(shape))

  def select(rows: Array[Long], positions: Array[Int], count: Int): Int = {
    val picked = picks(count)
    var i = pick(rows, positions, math.min(held, count), count, picked)
    // How large the next strings and lists are is seen only when they are decoded, so stretches start small
    // and grow.
    var step = if (values.isVariable) ColumnCursor.FirstRows else Int.MaxValue.toLong
    while (i < count && (i == 0 || room > 0)) {
      val page = pageOf(rows(positions(i)))
      val units = page.units(rows, positions, i, math.min(count.toLong, i + step).toInt)
      page.read(units) { (unit, stretch) =>
        page.decode(unit, stretch)
        end = page.firstRow + unit.rows.end
        i = pick(rows, positions, i, count, picked)
      }
      step = math.min(2 * step, Int.MaxValue.toLong)
    }
    hold(picked, i)
    i
  }

  /** Says where in the column those rows are, from the one at `from` on, that were decoded; returns which is
    * the next.
    */
  private def pick(
      rows: Array[Long],
      positions: Array[Int],
      from: Int,
      count: Int,
      picked: Array[Int]
  ): Int = {
    val shift = column.length - end
    var i = from
    while (i < count && rows(positions(i)) < end) {
      picked(i) = (rows(positions(i)) + shift).toInt
      i += 1
    }
    i
  }

  private def room: Long = ColumnCursor.BatchBytes - column.values.sizeInBytes

  private def pageOf(row: Long): SelectedPage = {
    while (pages(pageIndex).page.endRow <= row) {
      pageIndex += 1
      opened = None
    }
    opened.getOrElse {
      val page = open(pages(pageIndex))
      opened = Some(page)
      page
    }
  }

  private def open(planned: PlannedPage): SelectedPage = {
    val at = location.copy(page = Some(planned.index))
    LanceFormatException.locating(at) {
      val decoder = planned.decoder(leaf, shape, version)
      fetcher.openedPage()
      new SelectedPage(
        decoder.open(fetcher.read(decoder.initRanges)),
        planned.page.firstRow,
        planned.page.rows,
        planned.rowsOf(ColumnSelector.GapBytes),
        at
      )
    }
  }

  /** @param gap how many rows that are not wanted are cheaper decoded than left out */
  final private class SelectedPage(
      page: OpenPage,
      val firstRow: Long,
      pageRows: Long,
      gap: Int,
      at: Location
  ) {

    /** Returns the units that hold the rows from the one at `from` on, up to the end of the page or to as
      * many bytes as should be decoded at once.
      */
    def units(rows: Array[Long], positions: Array[Int], from: Int, count: Int): Vector[DecodeUnit] =
      LanceFormatException.locating(at) {
        def row(i: Int): Long = rows(positions(i)) - firstRow
        val most = math.min(pageRows, row(from) + math.max(1L, room / valueBytes))
        val found = Vector.newBuilder[DecodeUnit]
        var size = 0L
        var i = from
        while (i < count && row(i) < most && size <= ColumnSelector.ReadBytes) {
          val start = row(i)
          var last = i
          while (last + 1 < count && row(last + 1) - row(last) <= gap && row(last + 1) < most) last += 1
          val stretch = page.units(RowRange(start, row(last) + 1), fetcher.windowBytes)
          var covered = start
          while (stretch.hasNext && size <= ColumnSelector.ReadBytes) {
            val unit = stretch.next()
            if (unit.rows.start > covered || unit.rows.end <= covered)
              throw new LanceFormatException(s"rows ${unit.rows} where row $covered of the page should be")
            found += unit
            size += unit.bytes.length
            covered = unit.rows.end
          }
          if (covered == start) throw new LanceFormatException(s"no chunk holds row $start of the page")
          while (i < count && row(i) < covered) i += 1
        }
        found.result()
      }

    /** Fetches all of `units`, and then hands over one after the other. */
    def read(units: Vector[DecodeUnit])(use: (DecodeUnit, Slice) => Unit): Unit = {
      val fetch = LanceFormatException.locating(at) {
        fetcher.fetch(units.map(_.bytes), firstRow + units.head.rows.start)
      }
      fetcher.begin(Vector(fetch))
      try units.zip(LanceFormatException.locating(at)(fetcher.await(fetch))).foreach(use.tupled)
      finally fetcher.release(fetch)
    }

    def decode(unit: DecodeUnit, stretch: Slice): Unit =
      LanceFormatException.locating(at.copy(offset =
        Some(unit.bytes.offset)
      ))(values.decode(page, unit, stretch))
  }
}

private object ColumnSelector {

  /** Bytes between two rows that are decoded rather than skipped. */
  final private val GapBytes = 4L << 10

  /** Approximate bytes of a read. */
  final private val ReadBytes = 1L << 20
}
