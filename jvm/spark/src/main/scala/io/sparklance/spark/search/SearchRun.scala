package io.sparklance.spark.search

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.nearest.{NearestReader, Refinement}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.ReadStats
import io.sparklance.index.search.BrokenIndices
import io.sparklance.index.vector.{VectorIndexAnswer, VectorIndexSearch}
import io.sparklance.spark.options.IndexSearchSettings
import io.sparklance.spark.session.TableLocation
import io.sparklance.vector.{NearestSpec, Neighbors, Query}

/** Runs a search: each task keeps the nearest rows of its split, and they are merged where the search runs.
  *
  * @param among
  *   the rows that pass the filter
  */
final private[search] class SearchRun(
    dataset: Dataset,
    location: TableLocation,
    search: ResolvedSearch,
    among: PassingRows,
    place: SearchPlace,
    broken: BrokenIndices
) {

  /** Rows of a filter that are compared one by one. */
  final private val FewRows = 1000

  def result(): SearchOutcome = search.index.flatMap(indexed).getOrElse(
    if (search.index.exists(_.isFast)) nothing else exact(among.rows)
  )

  /** The answer of a fast search without an index. Refuses it if the column has an index of another kind. */
  private def nothing: SearchOutcome = {
    VectorIndexSearch.of(dataset, search.spec.column, broken).flatMap(_.unread).foreach(throw _)
    SearchOutcome(search.spec.queries.map(_ => Neighbors.none), 0, ReadStats.none, 0)
  }

  /** Searches by the column's index. Few rows that pass a filter are searched without. */
  private def indexed(use: IndexSearchSettings): Option[SearchOutcome] = {
    val index = VectorIndexSearch.of(dataset, search.spec.column, broken)
      .filter(_.metric.contains(search.spec.metric))
    index.flatMap { index =>
      val rows = among.addresses
      if (rows.exists(_.length <= FewRows) && !use.isFast) rows.map(few => exact(RowsToSearch.these(few)))
      else if (search.spec.column.isMulti) ofLists(index, use, rows)
      else {
        val k = math.min(Int.MaxValue.toLong, search.spec.k.toLong * use.refine.getOrElse(1)).toInt
        index.find(search.spec, k, use.probes, rows).map(completed(_, use))
      }
    }
  }

  /** Searches a column with several vectors in a row: rows near to any vector of a query are compared
    * exactly.
    */
  private def ofLists(
      index: VectorIndexSearch,
      use: IndexSearchSettings,
      rows: Option[Array[Long]]
  ): Option[SearchOutcome] = {
    val spec = search.spec
    val wanted = spec.k.toLong * use.refine.getOrElse(1) * SearchRun.CandidatesEach
    val k = math.min(Int.MaxValue.toLong, wanted).toInt
    val vectors = spec.queries.flatMap(_.vectors).map(vector => new Query(Vector(vector)))
    val single = NearestSpec(spec.column.single, spec.metric, vectors, k)
    index.find(single, k, use.probes, rows).map { found =>
      val answers = found.answers.iterator
      val parts = spec.queries.map { query =>
        val near = query.vectors.flatMap(_ => answers.next().addresses).toArray.distinct.sorted
        exact(RowsToSearch.these(near), spec.copy(queries = Vector(query)))
      }
      val own = SearchOutcome(
        parts.flatMap(_.answers),
        found.compared + parts.iterator.map(_.compared).sum,
        parts.iterator.map(_.stats).foldLeft(ReadStats.none)(_ + _),
        parts.iterator.map(_.tasks).max,
        found.probed
      )
      if (use.isFast || found.uncovered.isEmpty) own else withUncovered(own, found.uncovered)
    }
  }

  /** Replaces estimates by exact distances, if wanted or needed, and adds the rows that the index does not
    * cover.
    */
  private def completed(found: VectorIndexAnswer, use: IndexSearchSettings): SearchOutcome = {
    val own = SearchOutcome(found.answers, found.compared, ReadStats.none, 0, probed = found.probed)
    val uncovered = if (use.isFast) RowRanges.empty else found.uncovered
    if (use.refine.isEmpty && uncovered.isEmpty) own
    else {
      val refined = refine(own)
      if (uncovered.isEmpty) refined else withUncovered(refined, uncovered)
    }
  }

  /** Adds the rows that the index does not cover to those found by it, whose distances are exact. */
  private def withUncovered(found: SearchOutcome, uncovered: RowRanges): SearchOutcome = {
    val rest = among.rows
    val others = exact(rest.copy(rows = rest.rows.intersect(uncovered)))
    others.copy(
      answers = found.answers.zip(others.answers).map { case (a, b) =>
        Neighbors.nearest(search.spec.k, Iterator(a, b), search.spec.nans)
      },
      compared = others.compared + found.compared,
      stats = others.stats + found.stats,
      probed = found.probed
    )
  }

  /** Replaces estimates by exact distances, for as many queries at once as memory allows. */
  private def refine(found: SearchOutcome): SearchOutcome = {
    val width = math.max(1L, search.spec.column.width)
    val most = found.answers.iterator.map(_.size).maxOption.getOrElse(0)
    val together = math.max(1L, SearchRun.RefinedBytes / (width * math.max(1, most))).toInt
    val parts = found.answers.zip(search.spec.queries).grouped(together).map { part =>
      val (answers, queries) = part.unzip
      val rows = RowRanges.ofRows(answers.iterator.flatMap(_.addresses).toArray.distinct)
      val spec = search.spec.copy(queries = queries)
      val splits =
        NearestReader.splits(dataset, spec, Vector.empty, SearchPlace.Whole, rows, Predicate.Always)
      Refinement.answers(location.store, splits, spec, answers)
    }.toVector
    found.copy(
      answers = parts.flatMap(_._1),
      compared = found.compared + found.answers.iterator.map(_.size.toLong).sum,
      stats = parts.iterator.map(_._2).foldLeft(found.stats)(_ + _)
    )
  }

  /** Compares the queries with all rows to search. */
  private def exact(searched: RowsToSearch, spec: NearestSpec = search.spec): SearchOutcome = {
    val splits = NearestReader.splits(
      dataset,
      spec,
      searched.test.fields,
      place.target,
      searched.rows,
      searched.predicate
    )
    val vectors = spec.queries.iterator.map(_.vectors.size.toLong).sum
    val bytes = dataset.storedRows(searched.rows).toDouble * spec.column.width * vectors
    val task = SearchTask(location.forTasks(dataset), spec, searched.test)
    val (parts, tasks) = place.answers(splits, task, bytes)
    SearchOutcome(
      spec.queries.indices.toVector.map { query =>
        Neighbors.nearest(spec.k, parts.iterator.map(_.answers(query)), spec.nans)
      },
      parts.iterator.map(_.compared).sum,
      parts.iterator.map(_.stats).foldLeft(ReadStats.none)(_ + _),
      tasks,
      isRanked = parts.forall(_.isRanked)
    )
  }
}

private object SearchRun {

  /** Rows to find for each vector of a query in a column with several vectors in a row, for each wanted one.
    */
  final private val CandidatesEach = 10

  /** Bytes of vectors that are in memory to compute their exact distances. */
  final private val RefinedBytes = 64L << 20
}
