package io.sparklance.spark.search

import org.apache.spark.sql.types.StructField

import io.sparklance.spark.session.Session

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
    if (search.index.isDefined && queries >= NearestSearch.ManyQueries)
      QueryTasks.result(JoinSource(table, search))
    else {
      val target = table.read.split.getOrElse(Session.splitTarget)
      val place = SearchPlace.Job(target, s"search ${table.location}: ${search.describe}")
      val among = FilteredRows.of(table.dataset, table.location, search.filter)
      new SearchRun(table.dataset, table.tuned, search, among, place, table.broken).result()
    }
}

private object NearestSearch {

  /** Queries of a batch for which a job searches an index. */
  final private val ManyQueries = 256
}
