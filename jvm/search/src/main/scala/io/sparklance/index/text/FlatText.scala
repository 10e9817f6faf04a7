package io.sparklance.index.text

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, Fixed64Block, ListBlock, RowRanges, VariableBlock}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.{ScanPlan, Split, SplitReader, SplitTarget}
import io.sparklance.dataset.snapshot.{MetadataColumn, Snapshot}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.Field
import io.sparklance.text.Analysis

/** A query's tokens to look for in texts without an index.
  *
  * @param tokens
  *   distinct tokens
  * @param terms
  *   for each term, its place and the numbers of its tokens
  * @param phraseSlop
  *   given for phrases
  */
final private[sparklance] case class FlatQuery(
    field: Field,
    analysis: Analysis,
    tokens: Vector[String],
    terms: Vector[(Int, Vector[Int])],
    needsAll: Boolean,
    phraseSlop: Option[Int]
)

/** A text that matches.
  *
  * @param length
  *   number of all its tokens
  * @param frequencies
  *   of the query's tokens
  */
final private[sparklance] case class FlatMatch(address: Long, length: Int, frequencies: Array[Int])

/** Texts without an index.
  *
  * @param documents
  *   number of texts with tokens
  * @param tokens
  *   number of their tokens
  * @param having
  *   for each token of the query, the number of texts that have it
  */
final private[sparklance] case class FlatPart(
    documents: Long,
    tokens: Long,
    having: Array[Long],
    matches: Vector[FlatMatch]
) {
  def +(other: FlatPart): FlatPart = FlatPart(
    documents + other.documents,
    tokens + other.tokens,
    Array.tabulate(having.length)(i => having(i) + other.having(i)),
    matches ++ other.matches
  )
}

/** Searches texts by reading them. */
private[sparklance] object FlatText {
  final private val BatchRows = 1024

  def splits(snapshot: Snapshot, query: FlatQuery, target: SplitTarget, rows: RowRanges): Vector[Split] =
    ScanPlan.splits(
      snapshot,
      Vector(query.field, MetadataColumn.RowAddr.field),
      target,
      rows,
      Predicate.Always
    )

  def none(query: FlatQuery): FlatPart = FlatPart(0, 0, new Array[Long](query.tokens.size), Vector.empty)

  def search(store: ObjectStore, split: Split, query: FlatQuery): FlatPart =
    Using.resource(new SplitReader(store, split, BatchRows)) { reader =>
      val texts = new FlatTexts(query)
      while (reader.next()) texts.add(reader.columns.head, addresses(reader.columns(1)), reader.rowCount)
      texts.result
    }

  private def addresses(column: Column): Array[Long] = column.values match {
    case block: Fixed64Block => block.values
    case other => throw new IllegalStateException(s"row addresses in a ${other.getClass}")
  }
}

/** Counts the tokens of texts. Belongs to one thread. */
final private class FlatTexts(query: FlatQuery) {
  private val numbers = query.tokens.zipWithIndex.toMap
  private val analyzer = query.analysis.analyzer()
  private val frequencies = new Array[Int](query.tokens.size)
  private val having = new Array[Long](query.tokens.size)
  private val places = Array.fill(query.tokens.size)(Vector.newBuilder[Int])
  private val matches = Vector.newBuilder[FlatMatch]
  private var documents = 0L
  private var tokens = 0L
  private var length = 0

  def result: FlatPart = FlatPart(documents, tokens, having, matches.result())

  def add(column: Column, addresses: Array[Long], count: Int): Unit = {
    var row = 0
    while (row < count) {
      if (!column.nulls.isNull(row)) add(text(column, row), addresses(row))
      row += 1
    }
  }

  private def text(column: Column, row: Int): String = column.values match {
    case texts: VariableBlock => string(texts, row)
    case lists: ListBlock => lists.items.values match {
        case texts: VariableBlock =>
          (lists.offsets(row) until lists.offsets(row + 1)).filterNot(lists.items.nulls.isNull).map(string(
            texts,
            _
          ))
            .mkString(" ")
        case other => throw wrong(other)
      }
    case other => throw wrong(other)
  }

  private def wrong(block: AnyRef) =
    new LanceFormatException(s"texts in a column of ${block.getClass.getSimpleName}")

  private def string(texts: VariableBlock, row: Int): String =
    new String(texts.bytes, texts.offsets(row), texts.offsets(row + 1) - texts.offsets(row), UTF_8)

  private def add(text: String, address: Long): Unit = {
    java.util.Arrays.fill(frequencies, 0)
    length = 0
    if (query.phraseSlop.isDefined) places.foreach(_.clear())
    analyzer.analyze(
      text,
      (token, position) => {
        length += 1
        numbers.get(token).foreach { number =>
          frequencies(number) += 1
          if (query.phraseSlop.isDefined) places(number) += position
        }
      }
    )
    if (length > 0) {
      documents += 1
      tokens += length
      var i = 0
      while (i < frequencies.length) { if (frequencies(i) > 0) having(i) += 1; i += 1 }
      if (isMatch) matches += FlatMatch(address, length, frequencies.clone())
    }
  }

  private def isMatch: Boolean = {
    def has(term: (Int, Vector[Int])) = term._2.exists(frequencies(_) > 0)
    query.phraseSlop match {
      case Some(slop) => query.terms.nonEmpty && query.terms.forall(has) && isPhrase(slop)
      case None if query.needsAll => query.terms.nonEmpty && query.terms.forall(has)
      case None => query.terms.exists(has)
    }
  }

  private def isPhrase(slop: Int): Boolean = {
    val found = places.map(_.result())
    val own = query.terms.map { case (at, numbers) => numbers.flatMap(found(_)).map(_ - at) }
    own.tail.foldLeft(own.head) { (reached, next) =>
      next.filter(p => reached.exists(b => p >= b && p - b <= slop))
    }.nonEmpty
  }
}
