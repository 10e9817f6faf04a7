package io.sparklance.spark.search

import org.apache.spark.sql.SparkSession
import org.apache.spark.{TaskContext, TaskKilledException}

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.nearest.{NearestReader, SplitAnswers}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.{ReadStats, Split, SplitTarget}
import io.sparklance.spark.session.{JobDescription, Session, TableLocation}
import io.sparklance.vector.Neighbors

/** The answers to all queries of a search.
  *
  * @param compared
  *   number of comparisons of two vectors
  * @param tasks
  *   number of tasks that it took; 0 if the driver searched itself
  */
final private[search] case class SearchResult(
    answers: Vector[Neighbors],
    compared: Long,
    stats: ReadStats,
    tasks: Int
)

/** Runs a search: each task keeps the nearest rows of its split, the driver merges them. A search of few
  * vectors runs on the driver.
  */
final private[search] class SearchRun(
    dataset: Dataset,
    location: TableLocation,
    search: ResolvedSearch,
    split: Option[SplitTarget]
) {

  /** Bytes of vectors below which a job takes longer than the search. */
  final private val FewBytes = 4L << 20

  def result(): SearchResult = {
    val searched = search.filter.fold(
      SearchedRows(RowRanges.all, Predicate.Always, SearchTest.Every)
    )(new SearchFilter(dataset, location, _).rows)
    val splits = NearestReader.splits(
      dataset,
      search.spec,
      searched.test.fields,
      split.getOrElse(Session.splitTarget),
      searched.rows,
      searched.predicate
    )
    val task = SearchTask(location.forTasks(dataset), search, searched.test)
    val isSmall = dataset.storedRows(searched.rows) <=
      FewBytes / math.max(1L, search.spec.column.width * vectors)
    if (isSmall) merged(splits.map(task.answer), 0)
    else merged(distributed(splits, task), splits.size)
  }

  /** Number of query vectors. */
  private def vectors: Long = search.spec.queries.iterator.map(_.vectors.size.toLong).sum

  private def distributed(splits: Vector[Split], task: SearchTask): Vector[SplitAnswers] = {
    val context = SparkSession.active.sparkContext
    JobDescription.during(context, s"search $location: ${search.describe}") {
      val shared = context.broadcast(task)
      try context.parallelize(splits, splits.size).map(split => shared.value.answer(split)).collect().toVector
      finally shared.destroy()
    }
  }

  private def merged(parts: Vector[SplitAnswers], tasks: Int): SearchResult = SearchResult(
    search.spec.queries.indices.toVector.map { query =>
      Neighbors.nearest(search.spec.k, parts.iterator.map(_.answers(query)))
    },
    parts.iterator.map(_.compared).sum,
    parts.iterator.map(_.stats).foldLeft(ReadStats.none)(_ + _),
    tasks
  )
}

/** Everything that a task needs to search a split. */
final private[search] case class SearchTask(
    location: TableLocation,
    search: ResolvedSearch,
    test: SearchTest
) {
  def answer(split: Split): SplitAnswers =
    NearestReader.answer(location.store, split, search.spec, test.open, () => SearchTask.endIfKilled())
}

private object SearchTask {
  private def endIfKilled(): Unit =
    if (Option(TaskContext.get()).exists(_.isInterrupted())) throw new TaskKilledException
}
