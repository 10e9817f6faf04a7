package io.sparklance.index.text

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sparklance.text.{Analysis, Language, SplitIdentifiers, Tokenizer}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** The parameters of a full-text index, a JSON object in its files. Missing ones have the reference's
  * defaults.
  *
  * @param withPosition
  *   whether it has the positions of words, which phrases need
  */
final private[sparklance] case class TextParameters(analysis: Analysis, withPosition: Boolean)

private[sparklance] object TextParameters {
  private val mapper = new ObjectMapper
  final private val MaxTokenLength = 40

  def parse(json: String): TextParameters = {
    val root = Try(mapper.readTree(json)).filter(_.isObject).getOrElse(
      throw new LanceFormatException(s"the parameters of a text index are not a JSON object: $json")
    )
    new Parser(root).parameters
  }

  final private class Parser(root: JsonNode) {
    private val base = text("base_tokenizer").getOrElse("simple")
    private val isWords = base != "ngram" && base != "code"

    def parameters: TextParameters = {
      text("lance_tokenizer").filter(_ != "text").foreach { kind =>
        throw new UnsupportedLanceFeatureException(s"a text index of $kind documents")
      }
      val language = this.language
      val analysis = Analysis(
        tokenizer,
        value("max_token_length").fold(Option(MaxTokenLength))(node => Option.when(!node.isNull)(node.asInt)),
        truth("lower_case", default = true),
        Option.when(truth("stem", isWords))(language),
        if (truth("remove_stop_words", isWords)) stopWords(language) else Set.empty,
        truth("ascii_folding", default = true)
      )
      TextParameters(analysis, truth("with_position", default = false))
    }

    private def tokenizer: Tokenizer = base match {
      case "simple" => Tokenizer.Simple
      case "whitespace" => Tokenizer.Whitespace
      case "raw" => Tokenizer.Raw
      case "ngram" =>
        val (min, max) = (number("min_ngram_length", 3), number("max_ngram_length", 3))
        if (min < 1 || max < min) throw new LanceFormatException(s"n-grams of $min to $max characters")
        Tokenizer.NGram(min, max, truth("prefix_only", default = false))
      case "code" =>
        val split = SplitIdentifiers(
          truth("preserve_original", default = true),
          truth("split_on_numerics", default = true)
        )
        Tokenizer.Code(
          truth("index_operators", default = false),
          Option.when(truth("split_identifiers", default = false))(split)
        )
      case other => throw new UnsupportedLanceFeatureException(s"the tokenizer '$other' of a text index")
    }

    private def language: Language = {
      val name = text("language").getOrElse("English")
      Language.parse(name).getOrElse(
        throw new UnsupportedLanceFeatureException(s"the language '$name' of a text index")
      )
    }

    private def stopWords(language: Language): Set[String] =
      value(
        "custom_stop_words"
      ).filter(_.isArray).fold(language.stopWords)(_.elements.asScala.map(_.asText).toSet)

    private def value(key: String): Option[JsonNode] = Option(root.get(key))
    private def text(key: String): Option[String] = value(key).filter(_.isTextual).map(_.asText)
    private def truth(key: String, default: Boolean): Boolean =
      value(key).filter(_.isBoolean).fold(default)(_.asBoolean)
    private def number(key: String, default: Int): Int =
      value(key).filter(_.canConvertToInt).fold(default)(_.asInt)
  }
}
