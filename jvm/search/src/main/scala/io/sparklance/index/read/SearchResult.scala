package io.sparklance.index.read

import io.sparklance.index.rows.IdSet

/** The answer of one segment to a predicate. */
sealed private[index] trait SearchResult extends Product with Serializable

private[index] object SearchResult {

  /** @param ids
    *   all rows of covered fragments that pass, and possibly others
    * @param isExact
    *   whether all of them pass
    * @param pages
    *   pages or entries read for the answer
    * @param unknown
    *   fragments that the segment claims to cover, but does not
    */
  final case class Found(
      ids: IdSet,
      isExact: Boolean,
      pages: Long,
      unknown: Set[Long] = Set.empty
  ) extends SearchResult

  /** A scan is cheaper, or the predicate is not one for this kind. */
  case object ScanInstead extends SearchResult

  /** The segment is of a form that is not used. */
  case object Unusable extends SearchResult
}

/** Limits of a search, above which a scan is cheaper or safer for the driver.
  *
  * @param read
  *   entries to read from an index that are sorted by value
  * @param found
  *   rows that a search may find
  * @param ranges
  *   ranges of rows that a search may find
  */
final private[index] case class SearchLimits(read: Long, found: Long, ranges: Long)

private[index] object SearchLimits {

  /** Limits of a search whose rows are only counted. Bitmaps make that cheap, so any share of the table's
    * rows will do.
    */
  def ofCount(rows: Long, haveIds: Boolean): SearchLimits = SearchLimits(
    math.max(MinRead, math.min(MaxRead, rows / CountShare)),
    if (haveIds) MaxFoundIds else MaxFound,
    ranges = Long.MaxValue
  )

  /** @param rows
    *   number of rows of the table
    * @param haveIds
    *   whether rows have stable ids, which take more memory than bitmaps until they are mapped to addresses
    */
  def of(rows: Long, haveIds: Boolean): SearchLimits = SearchLimits(
    math.max(MinRead, math.min(MaxRead, rows / ReadShare)),
    math.max(MinFound, math.min(if (haveIds) MaxFoundIds else MaxFound, rows / FoundShare)),
    math.max(FewRanges, math.min(MaxRanges, rows / RangeCost))
  )

  /** Rows that a scan filters in the time that a range of rows takes. */
  final private val RangeCost = 1024

  // Fewer ranges than that are always worth it.
  final private val FewRanges = 256L
  final private val MaxRanges = 1L << 19

  // Four pages of a B-tree.
  final private val MinRead = 1L << 14
  final private val MaxRead = 1L << 24
  final private val ReadShare = 2
  final private val MinFound = 1L << 12
  final private val MaxFound = 1L << 24
  final private val MaxFoundIds = 1L << 20
  final private val FoundShare = 8
  final private val CountShare = 8
}
