package io.sparklance.index.text

import scala.collection.concurrent.TrieMap

import io.sparklance.LanceUsageException
import io.sparklance.data.RowRanges
import io.sparklance.dataset.scan.SplitTarget
import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.io.Concurrently
import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.text.TextQuery

/** The rows that match a query, the best first, of equal scores by address.
  *
  * @param scores
  *   parallel to `addresses`
  */
final private[sparklance] case class TextAnswer(addresses: Array[Long], scores: Array[Float]) {
  def size: Int = addresses.length
}

/** Settings of a search.
  *
  * @param limit
  *   greatest number of rows
  * @param among
  *   addresses of the rows among which to search, sorted; all rows if None
  * @param isFast
  *   whether to leave out rows that no index covers
  */
final private[sparklance] case class TextSearchOptions(
    limit: Option[Int],
    among: Option[Array[Long]] = None,
    isFast: Boolean = false
)

/** Searches the texts of a table version by its full-text indices. Texts that no index covers are read. For
  * any number of threads.
  *
  * @param flat
  *   reads the texts of some rows
  */
final private[sparklance] class TextSearch(
    snapshot: Snapshot,
    options: TextSearchOptions,
    flat: (FlatQuery, RowRanges) => FlatPart
) {
  import TextSearch._

  private val columns = TrieMap.empty[String, SearchedTexts]

  def find(query: TextQuery): TextAnswer = evaluation().answer(query)

  /** Searches for many queries, some at a time. Reads what they need of the indices together.
    *
    * @param threads
    *   number of threads to use
    */
  def findAll(queries: Vector[TextQuery], threads: Int): Vector[TextAnswer] =
    queries.grouped(QueriesAtATime).flatMap { some =>
      if (some.size > 1) load(some.flatMap(_.leaves))
      val parts = some.grouped((some.size + threads - 1) / threads).toVector
      Concurrently.map(parts, threads) { part =>
        val own = evaluation()
        part.map(own.answer)
      }.flatten
    }.toVector

  private def load(leaves: Vector[TextQuery.Leaf]): Unit =
    leaves.groupBy(_.column).foreach { case (column, own) => texts(column).load(own) }

  private def evaluation() = {
    val windows = new WindowSearch
    new TextEvaluation(
      options.limit,
      (leaf, out) => new LeafSearch(texts(leaf.column), leaf, windows, options.isFast, flat).run(out)
    )
  }

  private def texts(column: String): SearchedTexts = columns.getOrElse(
    column, {
      val texts = new SearchedTexts(snapshot, TextSearch.field(snapshot, column), options.among)
      texts.open()
      columns.getOrElseUpdate(column, texts)
    }
  )
}

private[sparklance] object TextSearch {

  /** Queries whose posting lists are read together. */
  final private val QueriesAtATime = 2000

  /** Reads texts on the calling thread. */
  def local(snapshot: Snapshot)(query: FlatQuery, rows: RowRanges): FlatPart =
    FlatText.splits(snapshot, query, SplitTarget.Rows(1L << 16), rows)
      .map(FlatText.search(snapshot.store, _, query)).foldLeft(FlatText.none(query))(_ + _)

  /** Returns a column with texts, or lists of texts. */
  def field(snapshot: Snapshot, name: String): Field =
    snapshot.schema.fields.find(_.name == name).filter(isText).getOrElse {
      val others = snapshot.schema.fields.filter(isText).map(_.name)
      val problem =
        if (snapshot.schema.fields.exists(_.name == name)) s"Column '$name' has no texts"
        else s"There is no column '$name'"
      throw new LanceUsageException(
        s"$problem, so there is nothing to search. Columns with texts: ${if (others.isEmpty) "none"
          else others.mkString(", ")}."
      )
    }

  def isText(field: Field): Boolean = field.logicalType match {
    case LogicalType.Utf8(_) => true
    case LogicalType.List(_, false) => field.children.exists(isText)
    case _ => false
  }
}
