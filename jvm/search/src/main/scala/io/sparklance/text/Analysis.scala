package io.sparklance.text

import io.sparklance.text.snowball.Snowball

/** Rules by which texts and queries become tokens: a tokenizer, and filters that act on each token in the
  * order of the parameters.
  *
  * @param maxBytes
  *   number of bytes in UTF-8 from which a token is removed
  * @param stem
  *   the language whose stems replace tokens
  * @param stopWords
  *   tokens to remove, as they are after stemming
  * @param asciiFolding
  *   whether letters lose their accents
  */
final private[sparklance] case class Analysis(
    tokenizer: Tokenizer,
    maxBytes: Option[Int],
    lowerCase: Boolean,
    stem: Option[Language],
    stopWords: Set[String],
    asciiFolding: Boolean
) {

  /** Returns an analyzer for one thread. */
  def analyzer(): Analyzer = new Analyzer(this)
}

private[sparklance] object Analysis {

  /** Words as they stand. */
  val plain: Analysis =
    Analysis(Tokenizer.Simple, None, lowerCase = false, None, Set.empty, asciiFolding = false)
}

/** Finds the tokens of texts. Belongs to one thread. */
final private[sparklance] class Analyzer(analysis: Analysis) {
  private val stem: String => String = analysis.stem.fold(identity[String](_))(language =>
    Snowball.of(language.resource).stemmer()
  )

  /** Results of recent tokens; an empty marker for removed ones. */
  private val recent = new java.util.HashMap[String, String](1 << 12)

  /** Passes the tokens of a text on, removed ones left out. */
  def analyze(text: String, out: Tokens): Unit = analysis.tokenizer.split(
    text,
    (token, position) => {
      val result = filtered(token)
      if (result ne Analyzer.Removed) out.add(result, position)
    }
  )

  /** Returns the tokens of a text with their positions. */
  def tokens(text: String): Vector[(String, Int)] = {
    val out = Vector.newBuilder[(String, Int)]
    analyze(text, (token, position) => { val _ = out += token -> position })
    out.result()
  }

  /** Returns what filters make of a token of the tokenizer, unless they remove it. */
  def token(raw: String): Option[String] = {
    val result = filtered(raw)
    Option.when(result ne Analyzer.Removed)(result)
  }

  private def filtered(token: String): String = {
    val known = recent.get(token)
    if (known != null) known
    else {
      val result = compute(token)
      if (recent.size >= Analyzer.MostRecent) recent.clear()
      if (token.length <= Analyzer.LongestRecent) { val _ = recent.put(token, result) }
      result
    }
  }

  private def compute(token: String): String =
    if (analysis.maxBytes.exists(bytes(token) >= _)) Analyzer.Removed
    else {
      val stemmed = stem(if (analysis.lowerCase) Folding.lowerCase(token) else token)
      if (analysis.stopWords.contains(stemmed)) Analyzer.Removed
      else if (analysis.asciiFolding) Folding.ascii(stemmed)
      else stemmed
    }

  /** Length in UTF-8. */
  private def bytes(token: String): Int =
    if (Folding.isAscii(token)) token.length
    else token.getBytes(java.nio.charset.StandardCharsets.UTF_8).length
}

private object Analyzer {

  /** Stands for a token that filters remove. Compared by identity. */
  private val Removed: String = new String("removed")
  final private val MostRecent = 1 << 16
  final private val LongestRecent = 64
}
