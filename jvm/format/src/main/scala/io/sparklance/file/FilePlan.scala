package io.sparklance.file

import io.sparklance.data.{FileVersion, RowRange, RowRanges, ValueShape}
import io.sparklance.encoding.pages.PageLayouts
import io.sparklance.encoding.{DictionaryNumbers, PageDecoder}
import io.sparklance.schema.Leaf

/** A page of which some rows are read.
  *
  * @param index
  *   which of the column's pages it is
  * @param rows
  *   the wanted ones, counted from the page's first
  */
final private[sparklance] case class PlannedPage(index: Int, page: PageMetadata, rows: RowRanges) {

  /** Returns the page's decoder for a column of `shape`. */
  def decoder(leaf: Leaf, shape: ValueShape, version: FileVersion): PageDecoder = {
    import page.{buffers, description}
    val numbers = DictionaryNumbers.of(leaf.field)
    PageLayouts.decoder(description, buffers, page.rows, rows, shape, numbers, version)
  }

  /** Whether all rows are wanted. */
  def isAll: Boolean = rows.count == page.rows

  /** Joins wanted rows whose gaps take at most `maxGap` bytes. */
  def joined(maxGap: Long): PlannedPage = copy(rows = rows.joined(rowsOf(maxGap).toLong))

  /** Wants all rows from the first wanted one to the last. */
  def hull: PlannedPage = copy(rows = RowRanges(rows.hull))

  /** Estimates how many of the page's rows `bytes` hold. */
  def rowsOf(bytes: Long): Int = (bytes / math.max(rowBytes, 0.001)).toInt

  /** Estimates the bytes of the rows from the first wanted one to the last. */
  def hullBytes: Long = (rowBytes * rows.hull.length).toLong

  private lazy val rowBytes: Double = page.buffers.iterator.map(_.length.toDouble).sum / page.rows
}

private[sparklance] object FilePlan {

  /** Returns the number of a column's pages from the first of some rows to the last. */
  def pagesBetween(column: ColumnMetadata, rows: RowRanges): Int =
    column.pages.count(page => page.firstRow < rows.end && page.endRow > rows.start)

  /** Returns the pages of a column that hold the wanted rows. Pure: it reads nothing. */
  def pages(column: ColumnMetadata, rows: RowRanges): Vector[PlannedPage] =
    for {
      (page, index) <- column.pages.zipWithIndex
      wanted = rows.intersect(RowRange(page.firstRow, page.endRow))
      if !wanted.isEmpty
    } yield PlannedPage(index, page, wanted.relativeTo(page.firstRow))
}
