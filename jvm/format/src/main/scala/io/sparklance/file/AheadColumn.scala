package io.sparklance.file

/** A column whose bytes are requested ahead, in the order of its rows. */
private[file] trait AheadColumn {

  /** Reads its file. */
  def fetcher: Fetcher

  /** Whether nothing will ever be left to request again. */
  def isEnded: Boolean

  /** Whether something is left to request now. */
  def hasMore: Boolean

  /** Whether the place of its first bytes is known. */
  def hasBegun: Boolean

  /** The row of the fragment at which the next bytes begin. Call only if [[hasMore]]. */
  def row: Long

  /** The next bytes to request; none if there are no more, or if their place is not known yet. */
  def ask(): Option[Fetch]

  /** Waits for what opens the page whose bytes are to be requested next. */
  def open(): Unit
}
