package io.sparklance.index.search

import io.sparklance.data.RowRanges

/** The rows of a table that may pass a predicate, as indices know them.
  *
  * @param addresses
  *   addresses of all rows that pass, and possibly of others; all rows of fragments that no index covers
  * @param found
  *   number of rows that the indices found, deleted ones included
  * @param isExact
  *   whether every live row among `addresses` passes
  * @param uses
  *   indices that were searched
  * @param uncovered
  *   number of fragments to which none of them applies
  */
final private[sparklance] case class IndexAnswer(
    addresses: RowRanges,
    found: Long,
    isExact: Boolean,
    uses: Vector[IndexUse],
    uncovered: Int
)

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
