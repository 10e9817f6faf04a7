package io.sparklance.spark.search

import java.util.concurrent.atomic.LongAdder

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.data.RowRanges
import io.sparklance.dataset.scan.Split
import io.sparklance.index.text.{FlatPart, FlatQuery, FlatText, TextCoverage, TextSearch, TextSearchOptions}
import io.sparklance.schema.Field
import io.sparklance.spark.options.TextRequest
import io.sparklance.spark.session.{OwnJob, Session, TableLocation}
import io.sparklance.text.TextQuery

/** A search for texts whose columns a table has.
  *
  * @param texts
  *   the queries
  * @param isFast
  *   whether to leave out rows that no index covers
  * @param indexed
  *   description of the indices
  */
final private[search] case class ResolvedText(
    texts: Vector[TextQuery],
    isBatch: Boolean,
    limit: Option[Int],
    filter: Option[SearchCondition],
    isFast: Boolean,
    indexed: String
) extends RowSearch {
  def added: Vector[StructField] = Vector(ResultColumns.score)
  def queries: Int = texts.size

  /** Columns that are searched. */
  def columns: Vector[String] = texts.flatMap(_.leaves).map(_.column).distinct

  def describe: String = {
    val most = limit.fold("all matches")(n => s"best $n")
    val several = if (isBatch) s" to ${texts.size} queries" else ""
    val fast = if (isFast) ", only rows of the index" else ""
    s"$most$several by text of ${columns.mkString(", ")}, $indexed$fast" +
      filter.fold("")(condition => s", among rows with ${condition.text}")
  }

  def run(table: SearchTarget): FoundRows = new TextRun(table, this).result()
}

private[search] object ResolvedText {

  /** Fits a request to a table. Fails if it does not.
    *
    * @param options
    *   those of the read
    */
  def of(request: TextRequest, table: SearchTarget, options: CaseInsensitiveStringMap): ResolvedText = {
    lazy val columns =
      if (request.columns.nonEmpty) request.columns.map(column(table, _).name) else indexedColumns(table)
    val queries = request.queries.map {
      case TextRequest.Words(text, form) => ofWords(text, form, columns)
      case TextRequest.Structured(query) =>
        if (request.columns.nonEmpty)
          throw new LanceUsageException(
            "Columns were given together with a structured query, which names its columns itself. Leave them out."
          )
        named(query, name => column(table, name).name)
    }
    val searched = queries.flatMap(_.leaves).map(_.column).distinct
    ResolvedText(
      queries,
      request.isBatch,
      request.limit,
      request.filter.map(SearchCondition.of(_, options)),
      request.isFast,
      searched.map(coverage(table, _)).mkString(", ")
    )
  }

  private def ofWords(text: String, form: TextQuery.Leaf, columns: Vector[String]): TextQuery = {
    val each = columns.map { column =>
      form match {
        case query: TextQuery.Match => query.copy(column = column, terms = text)
        case query: TextQuery.Phrase => query.copy(column = column, terms = text)
      }
    }
    if (each.size == 1) each.head else TextQuery.Best(each)
  }

  /** Gives the columns of a query the names that the table has for them. */
  private def named(query: TextQuery, name: String => String): TextQuery = query match {
    case one: TextQuery.Match => one.copy(column = name(one.column))
    case one: TextQuery.Phrase => one.copy(column = name(one.column))
    case TextQuery.Boost(positive, negative, factor) =>
      TextQuery.Boost(named(positive, name), named(negative, name), factor)
    case TextQuery.Best(queries) => TextQuery.Best(queries.map(named(_, name)))
    case TextQuery.Combined(must, should, mustNot) =>
      TextQuery.Combined(must.map(named(_, name)), should.map(named(_, name)), mustNot.map(named(_, name)))
  }

  private def column(table: SearchTarget, name: String): Field = {
    val fields = table.dataset.schema.fields
    val own = fields.find(_.name == name).orElse(fields.find(f => Session.alike(f.name, name)))
    TextSearch.field(table.dataset, own.fold(name)(_.name))
  }

  private def indexedColumns(table: SearchTarget): Vector[String] = {
    val columns = TextCoverage.columns(table.dataset).map(_.name)
    if (columns.isEmpty)
      throw new LanceUsageException(
        s"No column of ${table.location.uri} has a full-text index, and none was named to search. Name the columns, " +
          "or create an index of the type INVERTED."
      )
    columns
  }

  private def coverage(table: SearchTarget, column: String): String =
    TextCoverage.of(table.dataset, TextSearch.field(table.dataset, column)).fold("without an index") { found =>
      s"by index ${found.index} (segments: ${found.segments}, partitions: ${found.partitions}, " +
        s"rows outside: ${found.uncovered})"
    }
}

/** Runs a search for texts on the driver. Tasks read the texts that no index covers, if there are many. */
final private[search] class TextRun(table: SearchTarget, search: ResolvedText) {
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
      if (stored <= FewRows || splits.isEmpty) Split.joined(splits).map(task.answer)
      else {
        tasks.add(splits.size.toLong)
        distributed(splits, task)
      }
    parts.foldLeft(FlatText.none(query))(_ + _)
  }

  private def distributed(splits: Vector[Split], task: TextTask): Vector[FlatPart] =
    OwnJob.run(context, s"search ${table.location}: ${search.describe}", task, splits)(_.answer(_))
}

/** Everything that a task needs to search texts of a split. */
final private[search] case class TextTask(location: TableLocation, query: FlatQuery) {
  def answer(split: Split): FlatPart = FlatText.search(location.store, split, query)
}
