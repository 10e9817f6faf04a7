package io.sparklance.spark.search

import org.apache.spark.sql.types.StructField

/** A search for the nearest vectors. */
final private[search] case class NearestSearch(search: ResolvedSearch) extends RowSearch {
  def added: Vector[StructField] = Vector(SearchColumns.distance)
  def queries: Int = search.spec.queries.size
  def isBatch: Boolean = search.isBatch
  def filter: Option[SearchCondition] = search.filter
  def limit: Option[Int] = Some(search.spec.k)
  def describe: String = search.describe

  def run(table: SearchedTable): FoundRows = {
    val found = result(table)
    FoundRows(
      found.answers.map(rows => RankedRows(rows.addresses, Vector(rows.distances))),
      SearchMetrics.of(found)
    )
  }

  def result(table: SearchedTable): SearchResult =
    new SearchRun(table.dataset, table.tuned, search, table.read.split, table.broken).result()
}
