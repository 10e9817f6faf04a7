package io.sparklance.index.search

import io.sparklance.data.RowRanges

/** The rows of a table that may pass a predicate, as indices know them.
  *
  * @param addresses
  *   addresses of all rows that pass, and possibly of others; all rows of fragments that no index covers
  * @param found
  *   number of rows that the indices found, deleted ones included
  * @param exact
  *   ids of fragments of which every live row among `addresses` passes
  * @param uses
  *   indices that were searched
  * @param uncovered
  *   ids of fragments to which none of them applies
  */
final private[sparklance] case class IndexAnswer(
    addresses: RowRanges,
    found: Long,
    exact: Set[Long],
    uses: Vector[IndexUse],
    uncovered: Set[Long]
) {

  /** Returns the rows of this answer that are also in the answer to another predicate. */
  private[search] def intersect(other: IndexAnswer): IndexAnswer = IndexAnswer(
    addresses.intersect(other.addresses),
    math.min(found, other.found),
    exact.intersect(other.exact),
    (uses ++ other.uses).distinct,
    uncovered.intersect(other.uncovered)
  )

  /** Returns the rows of either answer. */
  def union(other: IndexAnswer): IndexAnswer = IndexAnswer(
    addresses.union(other.addresses),
    found + other.found,
    exact.intersect(other.exact),
    (uses ++ other.uses).distinct,
    uncovered.union(other.uncovered)
  )

  /** Returns this answer to a predicate that demands more. */
  private[search] def inexact: IndexAnswer = copy(exact = Set.empty)
}

/** A searched index.
  *
  * @param kind
  *   name of its kind
  * @param segments
  *   number of its segments that cover fragments
  * @param pages
  *   pages or entries that were read
  */
final private[sparklance] case class IndexUse(name: String, kind: String, segments: Int, pages: Long)
