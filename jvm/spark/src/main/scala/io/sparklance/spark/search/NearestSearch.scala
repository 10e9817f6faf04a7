package io.sparklance.spark.search

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructField

import io.sparklance.dataset.scan.ReadStats
import io.sparklance.spark.session.{OwnJob, Session}

/** A search for the nearest vectors. */
final private[search] case class NearestSearch(search: ResolvedSearch) extends RowSearch {
  def added: Vector[StructField] = Vector(ResultColumns.distance)
  def queries: Int = search.spec.queries.size
  def isBatch: Boolean = search.isBatch
  def filter: Option[SearchCondition] = search.filter
  def limit: Option[Int] = Some(search.spec.k)
  def describe: String = search.describe

  def run(table: SearchTarget): FoundRows = {
    val found = result(table)
    FoundRows(
      found.answers.map(rows => RankedRows(rows.addresses, Vector(rows.distances))),
      SearchMetrics.of(found)
    )
  }

  def result(table: SearchTarget): SearchOutcome =
    if (search.index.isDefined && queries >= NearestSearch.ManyQueries)
      QueryTasks.result(JoinSource(table, search))
    else {
      val target = table.read.split.getOrElse(Session.splitTarget)
      val place = SearchPlace.Job(target, s"search ${table.location}: ${search.describe}")
      val among = PassingRows.of(table.dataset, table.location, search.filter)
      new SearchRun(table.dataset, table.tuned, search, among, place, table.broken).result()
    }
}

private object NearestSearch {

  /** Queries of a batch for which a job searches an index. */
  final private val ManyQueries = 256
}

/** Searches an index for many queries: each task of a job has some of them. */
private[search] object QueryTasks {
  def result(source: JoinSource): SearchOutcome = {
    val context = SparkSession.active.sparkContext
    val queries = source.search.spec.queries
    val search = JoinSearch.of(source, Vector.empty)
    val each = math.min(search.batch, (queries.size - 1) / context.defaultParallelism + 1)
    val parts = queries.grouped(each).toVector
    val title = s"search ${source.table.location}: ${source.search.describe}"
    val found = OwnJob.run(context, title, search, parts)(_.answers(_, SearchPlace.Here))
    SearchOutcome(
      found.flatMap(_.answers),
      found.iterator.map(_.compared).sum,
      found.iterator.map(_.stats).foldLeft(ReadStats.none)(_ + _),
      parts.size,
      found.iterator.map(_.probed).sum
    )
  }
}
