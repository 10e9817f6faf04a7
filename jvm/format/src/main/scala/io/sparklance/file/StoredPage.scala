package io.sparklance.file

import io.sparklance.encoding.pages.EncodingText
import io.sparklance.schema.Field

/** A page of a column, as far as people want to know of it.
  *
  * @param firstRow
  *   of the column, from 0: before version 2.1, a list's items have rows of their own
  * @param encoding
  *   in the words of the format, if the file says it
  * @param plainBytes
  *   of its values without an encoding, if that is known
  */
final private[sparklance] case class StoredPage(
    firstRow: Long,
    rows: Long,
    bytes: Long,
    encoding: Option[String],
    plainBytes: Option[Long]
) {

  /** Bytes without an encoding as a multiple of those on disk, if there are any. */
  def ratio: Option[Double] = plainBytes.filter(_ => bytes > 0).map(_.toDouble / bytes)
}

private[file] object StoredPage {
  def of(page: PageMetadata, field: Field): StoredPage = StoredPage(
    page.firstRow,
    page.rows,
    page.buffers.map(_.length).sum,
    EncodingText.of(page.description, page.buffers.size),
    PlainSize.of(page.description, page.rows, field)
  )
}
