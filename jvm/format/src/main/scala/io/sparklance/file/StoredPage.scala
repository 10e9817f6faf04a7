package io.sparklance.file

import io.sparklance.encoding.pages.EncodingText

/** A page of a column, as far as people want to know of it.
  *
  * @param firstRow
  *   of the column, from 0: before version 2.1, a list's items have rows of their own
  * @param encoding
  *   in the words of the format, if the file says it
  */
final private[sparklance] case class StoredPage(
    firstRow: Long,
    rows: Long,
    bytes: Long,
    encoding: Option[String]
)

private[file] object StoredPage {
  def of(page: PageMetadata): StoredPage = StoredPage(
    page.firstRow,
    page.rows,
    page.buffers.map(_.length).sum,
    EncodingText.of(page.description, page.buffers.size)
  )
}
