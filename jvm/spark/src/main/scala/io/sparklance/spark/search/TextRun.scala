package io.sparklance.spark.search

import java.util.concurrent.atomic.LongAdder

import org.apache.spark.sql.SparkSession

import io.sparklance.data.RowRanges
import io.sparklance.dataset.scan.Split
import io.sparklance.index.text.{FlatPart, FlatQuery, FlatText, TextSearch, TextSearchOptions}
import io.sparklance.spark.session.{JobDescription, Session, TableLocation}

/** Runs a search for texts on the driver. Tasks read the texts that no index covers, if there are many. */
final private[search] class TextRun(table: SearchedTable, search: ResolvedText) {
  import table.dataset

  /** Rows that are read faster than a job starts. */
  final private val FewRows = 10000L

  private val textsRead = new LongAdder
  private val tasks = new LongAdder
  private val defaultTarget = Session.splitTarget
  private val context = SparkSession.active.sparkContext

  /** Searches for several queries side by side. */
  def result(): FoundRows = {
    val among = search.filter.map(new SearchFilter(dataset, table.location, _).addresses)
    val options = TextSearchOptions(search.limit, among, search.isFast)
    val answers = new TextSearch(dataset, options, flat).findAll(
      search.texts,
      Runtime.getRuntime.availableProcessors
    ).map(found => RankedRows(found.addresses, Vector(found.scores)))
    FoundRows(answers, SearchMetrics.ofTexts(textsRead.sum, tasks.sum))
  }

  /** Reads texts that no index covers. */
  private def flat(query: FlatQuery, rows: RowRanges): FlatPart = {
    val target = table.read.split.getOrElse(defaultTarget)
    val splits = FlatText.splits(dataset, query, target, rows)
    val task = TextTask(table.tuned.forTasks(dataset), query)
    val stored = dataset.storedRows(rows)
    textsRead.add(stored)
    val parts =
      if (stored <= FewRows || splits.isEmpty) splits.map(task.answer)
      else {
        tasks.add(splits.size.toLong)
        distributed(splits, task)
      }
    parts.foldLeft(FlatText.none(query))(_ + _)
  }

  private def distributed(splits: Vector[Split], task: TextTask): Vector[FlatPart] =
    JobDescription.during(context, s"search ${table.location}: ${search.describe}") {
      val shared = context.broadcast(task)
      try context.parallelize(splits, splits.size).map(split => shared.value.answer(split)).collect().toVector
      finally shared.destroy()
    }
}

/** Everything that a task needs to search texts of a split. */
final private[search] case class TextTask(location: TableLocation, query: FlatQuery) {
  def answer(split: Split): FlatPart = FlatText.search(location.store, split, query)
}
