package io.sparklance.index.text

import io.sparklance.LanceUsageException
import io.sparklance.data.RowRanges
import io.sparklance.text.TextQuery

/** Searches the texts of one column for a match or a phrase.
  *
  * @param isFast
  *   whether to leave out rows that no index covers
  * @param flat
  *   reads the texts of some rows
  */
final private[text] class LeafSearch(
    texts: SearchedTexts,
    leaf: TextQuery.Leaf,
    windows: WindowSearch,
    isFast: Boolean,
    flat: (FlatQuery, RowRanges) => FlatPart
) {
  import texts.{indices, partitions}

  private val exact = texts.terms(leaf.terms)

  def run(out: FoundTexts): Unit = {
    checkPositions()
    if (partitions.nonEmpty) indexed(out)
    if (exact.nonEmpty && !isFast && !texts.uncovered.isEmpty) flatHits(out)
  }

  private def checkPositions(): Unit = leaf match {
    case _: TextQuery.Phrase if indices.exists(!_.parameters.withPosition) =>
      throw new LanceUsageException(
        s"The index '${indices.head.segment.index}' does not have the positions of words, so it cannot find phrases. " +
          "Create it with with_position => true."
      )
    case _: TextQuery.Phrase | _: TextQuery.Match => ()
  }

  private def indexed(out: FoundTexts): Unit = {
    val terms = leaf match {
      case query: TextQuery.Match if query.fuzziness > 0 =>
        Term.alike(query, partitions.map(_.vocabulary))
      case _ => exact
    }
    val weighted = terms.zipWithIndex.flatMap { case (term, place) =>
      term.alternatives.map { token =>
        WeightedToken(token, place, term.at, texts.scorer.weight(texts.frequency(token)))
      }
    }
    if (weighted.nonEmpty) {
      val searches = texts.searched.map { case (partition, rows) =>
        new PartitionSearch(partition, texts.scorer, weighted, rows, windows)
      }
      texts.each(searches)(_.load(needed(terms)))
      searches.foreach { search =>
        leaf match {
          case query: TextQuery.Match => search.matches(needed(terms), query.boost, out)
          case phrase: TextQuery.Phrase => search.phrase(terms.size, phrase.slop, out)
        }
      }
    }
  }

  /** Number of terms of which documents must have a token. */
  private def needed(terms: Vector[Term]): Option[Int] = leaf match {
    case query: TextQuery.Match => Option.when(query.all)(terms.size)
    case _: TextQuery.Phrase => Some(terms.size)
  }

  /** Scores texts that no index covers, with the statistics of these and of the index. */
  private def flatHits(out: FoundTexts): Unit = {
    val names = exact.flatMap(_.alternatives).distinct
    val query = FlatQuery(
      texts.field,
      texts.analysis,
      names.map(_.text),
      exact.map(term => term.at -> term.alternatives.map(names.indexOf(_))),
      needsAll = leaf match {
        case m: TextQuery.Match => m.all
        case _: TextQuery.Phrase => true
      },
      phraseSlop = leaf match {
        case _: TextQuery.Match => None
        case phrase: TextQuery.Phrase => Some(phrase.slop)
      }
    )
    val found = flat(query, texts.uncovered)
    val scorer = new Bm25(texts.documents + found.documents, texts.tokens + found.tokens)
    val weights = names.indices.map(i => scorer.weight(texts.frequency(names(i)) + found.having(i)))
    val boost = leaf match {
      case m: TextQuery.Match => m.boost
      case _: TextQuery.Phrase => 1f
    }
    found.matches.foreach { text =>
      val norm = scorer.norm(text.length)
      var score = 0f
      for ((_, tokens) <- query.terms; token <- tokens if text.frequencies(token) > 0)
        score += weights(token) * scorer.score(text.frequencies(token), norm)
      out.add(text.address, boost * score)
    }
  }
}
