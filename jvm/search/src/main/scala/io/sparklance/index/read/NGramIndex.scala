package io.sparklance.index.read

import java.util.Arrays

import scala.collection.immutable.ArraySeq
import scala.util.Using

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, Fixed32Block, RowRanges}
import io.sparklance.dataset.predicate.{BytesTest, NumberTest, Predicate, ValueTest}
import io.sparklance.index.rows.{IdSet, IdSetCodec}

/** Searches n-gram indices: a text contains a part only if it contains each three characters of it.
  * {{{
  * ngram_postings.lance   u32 token, rows (IdSetCodec, without sizes)
  * token                  (p0 · 37 + p1) · 37 + p2 of the characters' places in 0-9, a-z, from 1 on; 0 for null
  * }}}
  * Releases fold letters to this alphabet in different ways, but all keep its own characters. So a search
  * uses only parts of the pattern that consist of these.
  */
private[read] object NGramIndex {
  final private val FileName = "ngram_postings.lance"
  final private val Alphabet = 37
  final private val MaxTokens = Alphabet * Alphabet * Alphabet

  // So few rows are tested sooner than another set of rows is read.
  final private val FewRows = 1L << 10

  // Further ones would leave out few more rows.
  final private val MaxTokensOfPattern = 12

  /** Token numbers, ascending, and the row of each in the file. */
  final private class Tokens(val numbers: Array[Int], val rows: Array[Int]) extends SegmentSummary {
    def weight: Long = 64 + 8L * rows.length
  }

  def search(open: OpenSegment, predicate: Predicate, limits: SearchLimits): SearchResult =
    if (!isSearchable(predicate)) SearchResult.ScanInstead
    else
      Using.resource(IndexFile.open(open.store, open.segment, FileName)) { file =>
        if (!file.isReadable || file.rows > MaxTokens + 1L) SearchResult.Unusable
        else {
          tokensOf(open, file).flatMap(known => rowsOf(predicate, postings(file, known, _))) match {
            case Some(ids) if ids.count <= limits.found =>
              SearchResult.Found(ids, isExact = false, pages = wanted(predicate).size.toLong)
            case _ => SearchResult.ScanInstead
          }
        }
      }

  /** Keeps the tokens in memory. Returns false for a form that is not used. */
  def prewarm(open: OpenSegment): Boolean =
    Using.resource(IndexFile.open(open.store, open.segment, FileName)) { file =>
      file.isReadable && file.rows <= MaxTokens + 1L && tokensOf(open, file).isDefined
    }

  private def tokensOf(open: OpenSegment, file: IndexFile): Option[Tokens] = {
    file.checkColumns(2)
    SegmentCache.getOrRead(open.segment) { case tokens: Tokens => tokens } {
      Some(tokensOf(file))
    }
  }

  /** Whether the tokens of a predicate limit the rows. */
  private def isSearchable(predicate: Predicate): Boolean =
    rowsOf(predicate, _ => IdSet.empty).isDefined

  /** Returns all tokens of a predicate. */
  private def wanted(predicate: Predicate): Set[Int] = {
    var all = Set.empty[Int]
    val _ = rowsOf(
      predicate,
      tokens => {
        all ++= tokens
        IdSet.empty
      }
    )
    all
  }

  /** @param postings
    *   returns rows among which are all that have all of some tokens
    */
  private def rowsOf(predicate: Predicate, postings: Vector[Int] => IdSet): Option[IdSet] = predicate match {
    case Predicate.Passes(_, test) =>
      val alternatives = patterns(test).map(tokensOf)
      Option.when(alternatives.nonEmpty && alternatives.forall(_.nonEmpty))(
        alternatives.map(postings).reduce(_.union(_))
      )
    case Predicate.AllOf(operands) => operands.flatMap(rowsOf(_, postings)).reduceOption(_.intersect(_))
    case Predicate.AnyOf(operands) =>
      val found = operands.map(rowsOf(_, postings))
      Option.when(found.forall(_.isDefined))(found.flatten.reduce(_.union(_)))
    case Predicate.Always | Predicate.Never | Predicate.Unknown | Predicate.IsNull(_) |
        Predicate.NotNull(_) | Predicate.Fails(_, _) =>
      None
  }

  /** Returns texts, one of which every passing value contains; none if there are no such texts. */
  private def patterns(test: ValueTest): Vector[ArraySeq[Byte]] = test match {
    case BytesTest.Contains(part) => Vector(part)
    case BytesTest.StartsWith(part) => Vector(part)
    case BytesTest.EndsWith(part) => Vector(part)
    case BytesTest.SameAs(value) => Vector(value)
    case BytesTest.OneOf(values) if values.size <= MaxTokensOfPattern => values
    case BytesTest.OneOf(_) | BytesTest.Before(_) | BytesTest.NotAfter(_) => Vector.empty
    case _: NumberTest => Vector.empty
  }

  private def tokensOf(pattern: ArraySeq[Byte]): Vector[Int] =
    pattern.map(place).sliding(3).filter(window => window.size == 3 && window.forall(_ > 0)).map { window =>
      (window(0) * Alphabet + window(1)) * Alphabet + window(2)
    }.toVector.distinct.take(MaxTokensOfPattern)

  /** Returns the place of an ASCII character; 0 if it is not in the alphabet. */
  private def place(byte: Byte): Int = byte.toChar match {
    case digit if digit >= '0' && digit <= '9' => digit - '0' + 1
    case lower if lower >= 'a' && lower <= 'z' => lower - 'a' + 11
    case upper if upper >= 'A' && upper <= 'Z' => upper - 'A' + 11
    case _ => 0
  }

  private def tokensOf(file: IndexFile): Tokens = {
    val column = file.readAll(Vector(0)).head
    val numbers = numbersOf(column)
    val rows = numbers.indices.filterNot(column.nulls.isNull).sortBy(numbers(_)).toArray
    val sorted = rows.map(numbers(_))
    sorted.indices.drop(1).find(i => sorted(i) == sorted(i - 1)).foreach { i =>
      throw new LanceFormatException(s"an n-gram index has token ${sorted(i)} twice")
    }
    new Tokens(sorted, rows)
  }

  private def numbersOf(column: Column): Array[Int] = column.values match {
    case block: Fixed32Block => block.values.take(block.length)
    case other =>
      throw new LanceFormatException(s"tokens of an index in a column of ${other.getClass.getSimpleName}")
  }

  /** Returns the rows that have all of some tokens, and possibly others once few are left. */
  private def postings(file: IndexFile, tokens: Tokens, wanted: Vector[Int]): IdSet = {
    val places = wanted.map(Arrays.binarySearch(tokens.numbers, _))
    if (places.exists(_ < 0)) IdSet.empty
    else {
      var rows = Option.empty[IdSet]
      file.read(Vector(1), RowRanges.ofRows(places.map(i => tokens.rows(i).toLong).toArray)) {
        (columns, count) =>
          val lists = IndexFile.byteStrings(columns.head, count)
          var i = 0
          while (i < count && rows.forall(_.count > FewRows)) {
            val own = IdSetCodec.parseTreemap(IndexFile.bytesAt(lists, i))
            rows = Some(rows.fold(own)(_.intersect(own)))
            i += 1
          }
          rows.forall(_.count > FewRows)
      }
      rows.getOrElse(IdSet.empty)
    }
  }
}
