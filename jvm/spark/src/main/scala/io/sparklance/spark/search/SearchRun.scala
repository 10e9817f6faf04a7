package io.sparklance.spark.search

import org.apache.spark.sql.SparkSession
import org.apache.spark.{TaskContext, TaskKilledException}

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.nearest.{NearestReader, SplitAnswers}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.{ReadStats, Split, SplitTarget}
import io.sparklance.index.search.BrokenIndices
import io.sparklance.index.vector.{VectorIndexAnswer, VectorIndexSearch}
import io.sparklance.spark.options.IndexedSearch
import io.sparklance.spark.session.{JobDescription, Session, TableLocation}
import io.sparklance.vector.{NearestSpec, Neighbors}

/** The answers to all queries of a search.
  *
  * @param compared
  *   number of comparisons of two vectors
  * @param tasks
  *   number of tasks that it took; 0 if the driver searched itself
  * @param probed
  *   number of partitions of an index that were searched
  */
final private[search] case class SearchResult(
    answers: Vector[Neighbors],
    compared: Long,
    stats: ReadStats,
    tasks: Int,
    probed: Long = 0
)

/** Runs a search: each task keeps the nearest rows of its split, the driver merges them. A search of few
  * vectors runs on the driver.
  */
final private[search] class SearchRun(
    dataset: Dataset,
    location: TableLocation,
    search: ResolvedSearch,
    split: Option[SplitTarget],
    broken: BrokenIndices
) {

  /** Rows of a filter that are compared one by one. */
  final private val FewRows = 1000

  /** Bytes of vectors below which a job takes longer than the search. */
  final private val FewBytes = 4L << 20

  def result(): SearchResult = search.index.flatMap(indexed).getOrElse(
    if (search.index.exists(_.isFast)) nothing else exact(search.spec, filtered)
  )

  /** The answer of a fast search without an index. Refuses it if the column has an index of another kind. */
  private def nothing: SearchResult = {
    VectorIndexSearch.of(dataset, search.spec.column, broken).flatMap(_.unread).foreach(throw _)
    SearchResult(search.spec.queries.map(_ => Neighbors.none), 0, ReadStats.none, 0)
  }

  private def filtered: SearchedRows = search.filter.fold(
    SearchedRows(RowRanges.all, Predicate.Always, SearchTest.Every)
  )(new SearchFilter(dataset, location, _).rows)

  /** Searches by the column's index. Few rows that pass a filter are searched without. */
  private def indexed(use: IndexedSearch): Option[SearchResult] = {
    val index = VectorIndexSearch.of(dataset, search.spec.column, broken)
      .filter(_.metric.contains(search.spec.metric))
    index.flatMap { index =>
      val among = search.filter.map(new SearchFilter(dataset, location, _).addresses)
      if (among.exists(_.length <= FewRows) && !use.isFast)
        among.map(rows =>
          exact(search.spec, SearchedRows(RowRanges.ofRows(rows), Predicate.Always, SearchTest.Every))
        )
      else {
        val k = math.min(Int.MaxValue.toLong, search.spec.k.toLong * use.refine.getOrElse(1)).toInt
        index.find(search.spec, k, use.probes, among).map(completed(_, use))
      }
    }
  }

  /** Replaces estimates by exact distances, if wanted or needed, and adds the rows that the index does not
    * cover.
    */
  private def completed(found: VectorIndexAnswer, use: IndexedSearch): SearchResult = {
    val own = SearchResult(found.answers, found.compared, ReadStats.none, 0, probed = found.probed)
    val uncovered = if (use.isFast) RowRanges.empty else found.uncovered
    if (use.refine.isEmpty && uncovered.isEmpty) own
    else {
      val refined = own.copy(answers = found.answers.zip(search.spec.queries).map { case (rows, query) =>
        val only = SearchedRows(RowRanges.ofRows(rows.addresses), Predicate.Always, SearchTest.Every)
        exact(search.spec.copy(queries = Vector(query)), only).answers.head
      })
      if (uncovered.isEmpty) refined
      else {
        val rest = filtered
        val others = exact(search.spec, rest.copy(rows = rest.rows.intersect(uncovered)))
        others.copy(
          answers = refined.answers.zip(others.answers).map { case (a, b) =>
            Neighbors.nearest(search.spec.k, Iterator(a, b))
          },
          compared = others.compared + found.compared,
          probed = found.probed
        )
      }
    }
  }

  /** Compares the queries with all rows to search. */
  private def exact(spec: NearestSpec, searched: SearchedRows): SearchResult = {
    val splits = NearestReader.splits(
      dataset,
      spec,
      searched.test.fields,
      split.getOrElse(Session.splitTarget),
      searched.rows,
      searched.predicate
    )
    val task = SearchTask(location.forTasks(dataset), spec, searched.test)
    val isSmall = dataset.storedRows(searched.rows) <=
      FewBytes / math.max(1L, spec.column.width * vectors(spec))
    if (isSmall) merged(spec, splits.map(task.answer), 0)
    else merged(spec, distributed(splits, task), splits.size)
  }

  /** Number of query vectors. */
  private def vectors(spec: NearestSpec): Long = spec.queries.iterator.map(_.vectors.size.toLong).sum

  private def distributed(splits: Vector[Split], task: SearchTask): Vector[SplitAnswers] = {
    val context = SparkSession.active.sparkContext
    JobDescription.during(context, s"search $location: ${search.describe}") {
      val shared = context.broadcast(task)
      try context.parallelize(splits, splits.size).map(split => shared.value.answer(split)).collect().toVector
      finally shared.destroy()
    }
  }

  private def merged(spec: NearestSpec, parts: Vector[SplitAnswers], tasks: Int): SearchResult = SearchResult(
    spec.queries.indices.toVector.map { query =>
      Neighbors.nearest(spec.k, parts.iterator.map(_.answers(query)))
    },
    parts.iterator.map(_.compared).sum,
    parts.iterator.map(_.stats).foldLeft(ReadStats.none)(_ + _),
    tasks
  )
}

/** Everything that a task needs to search a split. */
final private[search] case class SearchTask(
    location: TableLocation,
    spec: NearestSpec,
    test: SearchTest
) {
  def answer(split: Split): SplitAnswers =
    NearestReader.answer(location.store, split, spec, test.open, () => SearchTask.endIfKilled())
}

private object SearchTask {
  private def endIfKilled(): Unit =
    if (Option(TaskContext.get()).exists(_.isInterrupted())) throw new TaskKilledException
}
