package io.sparklance.dataset.scan

import io.sparklance.io.IoStats

/** What reading took, and what it was spared.
  *
  * @param io all but footers and such
  * @param pagesSkipped pages of wanted columns that lie between wanted rows, and were not opened
  * @param cacheHits pieces of files' metadata that were there from earlier tasks
  * @param rowsSkipped those of `rowsFiltered` of which statistics told it before any value was read
  * @param rowsFiltered rows, not counting deleted ones, that did not pass, or are not among the first of an order
  * @param rowsBelowTop those of `rowsFiltered` that passed, but whose values told that others come before them
  */
final case class ReadStats(
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

object ReadStats {
  val none: ReadStats = ReadStats(IoStats.none, 0, 0, 0, 0, 0, 0, 0)
}
