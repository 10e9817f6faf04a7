package io.sparklance.dataset.scan

import io.sparklance.io.IoStats

/** Counts of the work that a read did and avoided.
  *
  * @param io
  *   requests, except those for footers and other metadata
  * @param pagesSkipped
  *   pages of wanted columns between wanted rows, which were not opened
  * @param cacheHits
  *   pieces of file metadata that earlier tasks had cached
  * @param rowsSkipped
  *   rows among `rowsFiltered` that statistics ruled out before any value was read
  * @param rowsFiltered
  *   live rows that did not pass, or are not among the first of an order
  * @param rowsBelowTop
  *   rows among `rowsFiltered` that passed, but are behind others in the order
  */
final private[sparklance] case class ReadStats(
    io: IoStats,
    pagesRead: Long,
    pagesSkipped: Long,
    cacheHits: Long,
    cacheMisses: Long,
    rowsSkipped: Long,
    rowsFiltered: Long,
    rowsBelowTop: Long
) {
  def +(other: ReadStats): ReadStats = ReadStats(
    io + other.io,
    pagesRead + other.pagesRead,
    pagesSkipped + other.pagesSkipped,
    cacheHits + other.cacheHits,
    cacheMisses + other.cacheMisses,
    rowsSkipped + other.rowsSkipped,
    rowsFiltered + other.rowsFiltered,
    rowsBelowTop + other.rowsBelowTop
  )
}

private[sparklance] object ReadStats {
  val none: ReadStats = ReadStats(IoStats.none, 0, 0, 0, 0, 0, 0, 0)
}
