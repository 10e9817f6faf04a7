package io.sparklance.spark.search

import org.apache.spark.sql.SparkSession

import io.sparklance.dataset.scan.ReadStats
import io.sparklance.spark.session.JobDescription

/** Searches an index for many queries: each task of a job has some of them. */
private[search] object QueryTasks {
  def result(source: JoinSource): SearchResult = {
    val context = SparkSession.active.sparkContext
    val queries = source.search.spec.queries
    val search = JoinSearch.of(source, Vector.empty)
    val each = math.min(search.batch, (queries.size - 1) / context.defaultParallelism + 1)
    val parts = queries.grouped(each).toVector
    JobDescription.during(context, s"search ${source.table.location}: ${source.search.describe}") {
      val shared = context.broadcast(search)
      try {
        val found = context.parallelize(parts, parts.size)
          .map(part => shared.value.answers(part, SearchPlace.Here)).collect().toVector
        SearchResult(
          found.flatMap(_.answers),
          found.iterator.map(_.compared).sum,
          found.iterator.map(_.stats).foldLeft(ReadStats.none)(_ + _),
          parts.size,
          found.iterator.map(_.probed).sum
        )
      } finally shared.destroy()
    }
  }
}
