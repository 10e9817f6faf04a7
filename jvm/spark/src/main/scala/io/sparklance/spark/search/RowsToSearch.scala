package io.sparklance.spark.search

import io.sparklance.data.RowRanges
import io.sparklance.dataset.predicate.Predicate

/** The rows among which to search.
  *
  * @param rows
  *   addresses of rows that may be among them
  * @param predicate
  *   a filter that readers evaluate
  * @param test
  *   a further condition
  */
final private[search] case class RowsToSearch(rows: RowRanges, predicate: Predicate, test: SearchTest)

private[search] object RowsToSearch {
  val all: RowsToSearch = RowsToSearch(RowRanges.all, Predicate.Always, SearchTest.Every)

  /** @param addresses of the rows */
  def these(addresses: Array[Long]): RowsToSearch =
    RowsToSearch(RowRanges.ofRows(addresses), Predicate.Always, SearchTest.Every)
}
