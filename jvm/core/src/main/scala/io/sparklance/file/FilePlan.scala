package io.sparklance.file

import io.sparklance.data.RowRange

/** @param index which of the column's pages it is
  * @param rows the wanted ones, counted from the page's first
  */
final case class PlannedPage(index: Int, page: PageMetadata, rows: RowRange)

object FilePlan {

  /** What a scan reads of a column: the pages that hold the wanted rows. A value, made without reading anything more. */
  def pages(column: ColumnMetadata, rows: RowRange): Vector[PlannedPage] =
    for {
      (page, index) <- column.pages.zipWithIndex
      wanted = rows.intersect(RowRange(page.firstRow, page.endRow))
      if !wanted.isEmpty
    } yield PlannedPage(index, page, wanted.relativeTo(page.firstRow))
}
