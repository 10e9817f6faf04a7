package io.sparklance.spark.index

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import io.sparklance.LanceUsageException
import io.sparklance.index.text.build.TextForm
import io.sparklance.text.Language

/** Settings of full-text indices, with the names and defaults of pylance. */
private[index] object TextIndexSettings {
  private val ofCode =
    Vector("split_identifiers", "split_on_numerics", "preserve_original", "index_operators")

  val names: Vector[String] = Vector(
    "with_position",
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
    "block_size",
    "format_version",
    "document_granularity",
    "memory_limit",
    "num_workers"
  ) ++ ofCode

  private val tokenizers = Vector("simple", "whitespace", "raw", "ngram", "code")
  final private val MostLength = 1L << 20

  def form(settings: IndexSettings): TextForm = {
    val tokenizer = settings.oneOf("base_tokenizer", tokenizers)
    val isCode = tokenizer == "code"
    checkRows(settings)
    if (!isCode) ofCode.find(settings.flag).foreach { name =>
      throw new LanceUsageException(
        s"Setting '$name' of the index needs base_tokenizer => 'code', but that is '$tokenizer'. Change one of them."
      )
    }
    val block = settings.oneOf("block_size", Vector("128", "256")).toInt
    TextForm(
      version(settings, needsThree = isCode || block == 256),
      block,
      params(settings, tokenizer, block)
    )
  }

  private def checkRows(settings: IndexSettings): Unit =
    settings.text("document_granularity").filter(_.toLowerCase != "row").foreach { other =>
      throw new LanceUsageException(
        s"Setting 'document_granularity' of the index is '$other', but documents can only be whole rows here. Leave it out, " +
          "or build the index with pylance."
      )
    }

  private def version(settings: IndexSettings, needsThree: Boolean): Int =
    settings.text("format_version").map(_.toLowerCase.stripPrefix("v")) match {
      case None => if (needsThree) 3 else 2
      case Some("3") => 3
      case Some("2") if !needsThree => 2
      case Some(other) =>
        val allowed = if (needsThree) "3, which this tokenizer or block_size needs" else "2 or 3"
        throw new LanceUsageException(
          s"Setting 'format_version' of the index is '$other'. Leave it out, or choose $allowed."
        )
    }

  private def params(settings: IndexSettings, tokenizer: String, block: Int): String = {
    val root = new ObjectMapper().createObjectNode()
    val (isCode, isWords) = (tokenizer == "code", tokenizer != "ngram" && tokenizer != "code")
    def truth(name: String, default: Boolean) = root.put(name, settings.flag(name, default))
    root.put("lance_tokenizer", "text").put("base_tokenizer", tokenizer)
    root.put("language", settings.oneOf("language", languages))
    truth("with_position", default = false)
    maxLength(settings, root)
    truth("lower_case", default = true)
    truth("stem", isWords)
    truth("remove_stop_words", isWords)
    stopWords(settings, root)
    truth("ascii_folding", default = true)
    lengths(settings, root)
    truth("prefix_only", default = false).put("block_size", block)
    truth("split_identifiers", default = false)
    truth("split_on_numerics", isCode)
    truth("preserve_original", isCode)
    truth("index_operators", default = false).toString
  }

  /** English first, as the default. */
  private def languages: Vector[String] =
    "English" +: Language.all.map(_.name).filter(_ != "English")

  private def maxLength(settings: IndexSettings, root: ObjectNode): Unit =
    if (settings.text("max_token_length").exists(text => text == "null" || text.isEmpty)) {
      val _ = root.putNull("max_token_length")
    } else {
      val _ = root.put("max_token_length", settings.number("max_token_length", 1, MostLength).getOrElse(40L))
    }

  private def stopWords(settings: IndexSettings, root: ObjectNode): Unit =
    settings.texts("custom_stop_words") match {
      case Some(words) =>
        val array = root.putArray("custom_stop_words")
        words.foreach(array.add)
      case None => val _ = root.putNull("custom_stop_words")
    }

  private def lengths(settings: IndexSettings, root: ObjectNode): Unit = {
    val min = settings.number("min_ngram_length", 1, MostLength).getOrElse(3L)
    val max = settings.number("max_ngram_length", 1, MostLength).getOrElse(3L)
    if (max < min)
      throw new LanceUsageException(
        s"Setting 'min_ngram_length' of the index is $min, but 'max_ngram_length' is $max. Choose a greater one for that."
      )
    val _ = root.put("min_ngram_length", min).put("max_ngram_length", max)
  }
}
