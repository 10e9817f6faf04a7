package io.sparklance.dataset.write

/** The size at which a data file is full.
  *
  * @param maxPages
  *   the description of pages stays in memory until the file is complete, up to a kilobyte for each
  * @param rowsBetweenChecks
  *   rows after which bytes and pages are counted again, which takes a look at each column
  */
final private[sparklance] case class FileLimits(
    maxRows: Long,
    maxBytes: Long,
    maxPages: Long = Long.MaxValue,
    rowsBetweenChecks: Long = 1
)

private[sparklance] object FileLimits {
  val none: FileLimits = FileLimits(Long.MaxValue, Long.MaxValue, rowsBetweenChecks = Long.MaxValue)
}
