package io.sparklance.index.text.build

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sparklance.index.build.SegmentDetails
import io.sparklance.index.text.TextParameters
import io.sparklance.proto.table.InvertedIndexDetails
import io.sparklance.proto.table.InvertedIndexDetails.CodeConfig

/** The form of a segment's files.
  *
  * @param version
  *   of the layout: 2, or 3
  * @param block
  *   documents of a block of a posting list: 128, or 256 in version 3
  * @param params
  *   the parameters of the analysis, none missing: see [[io.sparklance.index.text.TextParameters]]
  */
final private[sparklance] case class TextForm(version: Int, block: Int, params: String) {
  @transient lazy val parameters: TextParameters = TextParameters.parse(params)

  def withPosition: Boolean = parameters.withPosition

  /** Metadata of files with posting lists. */
  private[build] def listMetadata: Map[String, String] = {
    val ofPositions = Map("positions_layout" -> "shared_stream_v2", "positions_codec" -> "packed_delta_v1")
    Map(
      "format_version" -> version.toString,
      "posting_tail_codec" -> "varint_delta_v1",
      "posting_block_size" -> block.toString
    ) ++ (if (withPosition) ofPositions else Map.empty)
  }

  /** Details in the manifest. */
  def details: SegmentDetails = {
    val root = TextForm.mapper.readTree(params)
    def value(key: String): Option[JsonNode] = Option(root.get(key)).filterNot(_.isNull)
    def truth(key: String) = value(key).exists(_.asBoolean)
    def number(key: String) = value(key).fold(0)(_.asInt)
    val tokenizer = value("base_tokenizer").fold("simple")(_.asText)
    val message = InvertedIndexDetails(
      baseTokenizer = Some(tokenizer),
      language = TextForm.mapper.writeValueAsString(value("language").fold("English")(_.asText)),
      withPosition = withPosition,
      maxTokenLength = value("max_token_length").map(_.asInt),
      lowerCase = truth("lower_case"),
      stem = truth("stem"),
      removeStopWords = truth("remove_stop_words"),
      asciiFolding = truth("ascii_folding"),
      minNgramLength = number("min_ngram_length"),
      maxNgramLength = number("max_ngram_length"),
      prefixOnly = truth("prefix_only"),
      blockSize = Some(block),
      codeConfig = Option.when(tokenizer == "code")(CodeConfig(
        truth("split_identifiers"),
        Some(truth("split_on_numerics")),
        Some(truth("preserve_original")),
        truth("index_operators")
      )),
      postingFormatVersion = Some(version)
    )
    SegmentDetails(TextForm.TypeUrl, message.toByteString, version)
  }
}

private[sparklance] object TextForm {
  final private val TypeUrl = "/lance.table.InvertedIndexDetails"
  private val mapper = new ObjectMapper
}
