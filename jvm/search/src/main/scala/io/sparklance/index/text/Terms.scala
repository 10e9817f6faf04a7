package io.sparklance.index.text

import java.nio.charset.StandardCharsets.UTF_8

import io.sparklance.text.{Analysis, Analyzer, TextQuery}

/** The tokens of a query at one place. A text has one of them to match.
  *
  * @param at
  *   the place, from 0 at the first
  */
final private[text] case class Term(at: Int, alternatives: Vector[Term.Token])

private[text] object Term {

  /** A token, by its bytes. */
  final class Token(val bytes: Array[Byte]) {
    lazy val text: String = new String(bytes, UTF_8)
    override def equals(other: Any): Boolean = other match {
      case that: Token => java.util.Arrays.equals(bytes, that.bytes)
      case _ => false
    }
    override def hashCode: Int = java.util.Arrays.hashCode(bytes)
  }

  /** Returns the tokens of a query's text. */
  def of(analyzer: Analyzer, text: String): Vector[Term] = {
    val tokens = analyzer.tokens(text)
    val first = tokens.headOption.fold(0)(_._2)
    tokens.map(_._2).distinct.map { at =>
      Term(
        at - first,
        tokens.filter(_._2 == at).map { case (token, _) => new Token(token.getBytes(UTF_8)) }.distinct
      )
    }
  }

  /** Returns tokens of vocabularies that are like those of a fuzzy query, in the order of their bytes, until
    * there are as many as the query allows. The words of such a query are neither folded nor stemmed.
    */
  def alike(query: TextQuery.Match, vocabularies: Vector[Vocabulary]): Vector[Term] = {
    var left = query.expansions
    of(Analysis.plain.analyzer(), query.terms).map { term =>
      val found =
        term.alternatives.flatMap(token => vocabularies.flatMap(alikeIn(_, token.text, query))).distinct
          .sortWith((a, b) => java.util.Arrays.compareUnsigned(a.bytes, b.bytes) < 0).take(left)
      left -= found.size
      term.copy(alternatives = found)
    }
  }

  private def alikeIn(known: Vocabulary, word: String, query: TextQuery.Match): Vector[Token] = {
    val points = word.codePoints.toArray
    val kept = math.min(query.prefix, points.length)
    // Only words beyond ASCII are compared without the prefix.
    val skipped = if (word.forall(_ < 128)) 0 else kept
    val wanted = points.drop(skipped)
    val found = Vector.newBuilder[Token]
    known.withPrefix(new String(points, 0, kept).getBytes(UTF_8)) { bytes =>
      if (bytes.length <= 4L * points.length + 4L * query.fuzziness) {
        val token = new Token(bytes)
        if (Edits.within(wanted, token.text.codePoints.toArray.drop(skipped), query.fuzziness)) found += token
      }
      true
    }
    found.result()
  }
}

/** Counts the letters to insert, delete or replace. */
private object Edits {

  /** Whether `most` changes make one word of the other. */
  def within(a: Array[Int], b: Array[Int], most: Int): Boolean = math.abs(a.length - b.length) <= most && {
    var before = Array.range(0, b.length + 1)
    var row = new Array[Int](b.length + 1)
    var i = 1
    while (i <= a.length) {
      row(0) = i
      var j = 1
      while (j <= b.length) {
        val changed = before(j - 1) + (if (a(i - 1) == b(j - 1)) 0 else 1)
        row(j) = math.min(changed, math.min(before(j), row(j - 1)) + 1)
        j += 1
      }
      val other = before
      before = row
      row = other
      i += 1
    }
    before(b.length) <= most
  }
}
