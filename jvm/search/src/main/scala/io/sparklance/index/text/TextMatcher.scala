package io.sparklance.index.text

import scala.collection.mutable

import io.sparklance.text.{Analysis, Tokenizer}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Compares texts with words, without an index. Belongs to one thread. A text without tokens matches nothing,
  * and so do words without.
  */
final private[sparklance] class TextMatcher(settings: TextMatcher.Settings, words: String) {
  import settings.analysis
  private val analyzer = analysis.analyzer()
  private val terms = Term.of(analyzer, words)
  private val placesOf: Map[String, Vector[Int]] = terms.zipWithIndex.flatMap { case (term, i) =>
    term.alternatives.map(_.text -> i)
  }.groupMap(_._1)(_._2)
  private val found = Array.fill(terms.size)(mutable.ArrayBuilder.make[Int])
  private val counts = new Array[Int](terms.size)

  def matches(text: String): Boolean = terms.nonEmpty && {
    java.util.Arrays.fill(counts, 0)
    found.foreach(_.clear())
    analyzer.analyze(
      text,
      (token, position) =>
        placesOf.getOrElse(token, Vector.empty).foreach { i =>
          counts(i) += 1
          found(i) += position - terms(i).at
        }
    )
    settings.phraseSlop match {
      case Some(slop) => counts.forall(_ > 0) &&
        PhrasePlaces.areInOrder(found.toIndexedSeq.map(_.result().sorted), slop)
      case None => if (settings.all) counts.forall(_ > 0) else counts.exists(_ > 0)
    }
  }

  /** Returns a text with marks around the words that match. */
  def highlight(text: String, before: String, after: String): String = {
    analysis.tokenizer match {
      case Tokenizer.Simple | Tokenizer.Whitespace => ()
      case other =>
        throw new UnsupportedLanceFeatureException(s"marks in texts with the tokenizer $other")
    }
    val out = new java.lang.StringBuilder(text.length + 16)
    var done = 0
    var reached = 0
    analysis.tokenizer.split(
      text,
      (token, _) => {
        val start = text.indexOf(token, reached)
        reached = start + token.length
        if (analyzer.token(token).exists(placesOf.contains)) {
          out.append(text, done, start).append(before).append(token).append(after)
          done = reached
        }
      }
    )
    out.append(text, done, text.length).toString
  }
}

private[sparklance] object TextMatcher {

  /** Settings of indices that change their tokens. */
  private val ofAnalysis = Vector(
    "base_tokenizer",
    "language",
    "max_token_length",
    "lower_case",
    "stem",
    "remove_stop_words",
    "custom_stop_words",
    "ascii_folding",
    "min_ngram_length",
    "max_ngram_length",
    "prefix_only",
    "split_identifiers",
    "split_on_numerics",
    "preserve_original",
    "index_operators"
  )

  /** Settings of a comparison.
    *
    * @param all
    *   whether a text must have all words
    * @param phraseSlop
    *   given if they must follow one another
    */
  final case class Settings(analysis: Analysis, all: Boolean, phraseSlop: Option[Int])

  /** Returns a matcher with settings as [[settings]] reads them. */
  def of(words: String, json: String, isPhrase: Boolean): TextMatcher =
    new TextMatcher(settings(json, isPhrase), words)

  /** Reads settings. Those that are left out have the defaults of indices.
    *
    * @param json
    *   an object with `operator`, or `slop` for a phrase, beside the settings of an index
    */
  def settings(json: String, isPhrase: Boolean): Settings = {
    val own = if (isPhrase) "slop" else "operator"
    val fields = TextSettings.read(json, own +: ofAnalysis)
    val slop = fields.get("slop").fold(0) { node =>
      if (node.isIntegralNumber && node.canConvertToInt && node.asInt >= 0) node.asInt
      else throw new LanceUsageException(s"'slop' is $node, but must be a whole number from 0 on.")
    }
    val all = fields.get("operator").exists(_.asText.toLowerCase(java.util.Locale.ROOT) match {
      case "and" => true
      case "or" => false
      case other => throw new LanceUsageException(s"The operator '$other' is neither 'and' nor 'or'.")
    })
    Settings(TextParameters.parse(json).analysis, all, Option.when(isPhrase)(slop))
  }
}
