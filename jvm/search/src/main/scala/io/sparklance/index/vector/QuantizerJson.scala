package io.sparklance.index.vector

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sparklance.proto.index.Tensor
import io.sparklance.schema.Field
import io.sparklance.{LanceFormatException, ProtoBytes, UnsupportedLanceFeatureException}

/** The JSON texts in the metadata of index files. */
private[vector] object QuantizerJson {
  private val mapper = new ObjectMapper()

  /** Returns type and metric of the text of key `lance:index`. */
  def kind(text: String): (String, String) = {
    val fields = parse(text)
    (this.text(fields, "type"), this.text(fields, "distance_type"))
  }

  /** Returns the quantizer that a file describes.
    *
    * @param storage
    *   text of key `storage_metadata`: an array of one text, which is JSON itself
    * @param field
    *   the file's column of a name
    * @param buffer
    *   a global buffer by its number
    */
  def quantizer(kind: String, storage: String, dimension: Int, field: String => Field)(
      buffer: Int => Array[Byte]
  ): Quantizer = {
    val fields = Option(parse(storage).get(0)).filter(_.isTextual)
      .fold(throw damaged("storage_metadata is no array of a text"))(node => parse(node.asText))
    kind match {
      case "IVF_FLAT" | "IVF_HNSW_FLAT" => Quantizer.Flat(field(Quantizer.Flat.Column))
      case "IVF_PQ" | "IVF_HNSW_PQ" => product(fields, dimension, buffer)
      case "IVF_SQ" | "IVF_HNSW_SQ" => scalar(fields, dimension)
      case "IVF_RQ" => rotated(fields, dimension)
      case other => throw new UnsupportedLanceFeatureException(s"a vector index of type $other")
    }
  }

  private def rotated(fields: JsonNode, dimension: Int): Quantizer = {
    only(fields, "rotation_type", "fast", "matrix")
    only(fields, "query_estimator", "raw_query", "residual_query")
    expect(fields, "code_dim", dimension)
    val bits = number(fields, "num_bits")
    if (bits < 1 || bits > 9 || dimension % 8 != 0)
      throw damaged(s"$bits bits for each item of vectors of $dimension items")
    val signs = Option(fields.get("fast_rotation_signs")).filter(_.isArray)
      .fold(throw damaged("no fast_rotation_signs"))(_.elements.asScala.map(_.asInt.toByte).toArray)
    if (signs.length != Rotation.Rounds * Rotation.bytes(dimension))
      throw damaged(s"${signs.length} bytes of fast_rotation_signs for vectors of $dimension items")
    val isPacked = Option(fields.get("packed")).exists(_.asBoolean)
    Quantizer.Rotated(bits - 1, Rotation(dimension, signs), isPacked)
  }

  /** Refuses another variant by its name. */
  private def only(fields: JsonNode, key: String, known: String, default: String): Unit = {
    val found = Option(fields.get(key)).filterNot(_.isNull).fold(default)(_.asText)
    if (found != known)
      throw new UnsupportedLanceFeatureException(s"a vector index of type IVF_RQ with the $key $found")
  }

  private def product(fields: JsonNode, dimension: Int, buffer: Int => Array[Byte]): Quantizer = {
    val (parts, bits) = (number(fields, "num_sub_vectors"), number(fields, "nbits"))
    if (bits != 4 && bits != 8)
      throw new UnsupportedLanceFeatureException(s"product quantization of $bits bits")
    expect(fields, "dimension", dimension)
    if (parts < 1 || dimension % parts != 0 || (bits == 4 && parts % 2 != 0))
      throw damaged(s"$parts parts of vectors of $dimension items")
    val position = number(fields, "codebook_position")
    val bytes = if (position == 0) inline(fields) else buffer(position)
    val tensor = ProtoBytes.parse(Tensor, bytes, "the codebook of an index")
    val codebook = Tensors.floats(tensor, (1L << bits) * dimension, "the codebook of an index")
    Quantizer.Product(parts, bits, codebook, Option(fields.get("transposed")).exists(_.asBoolean))
  }

  private def inline(fields: JsonNode): Array[Byte] =
    Option(fields.get("codebook_tensor")).filter(_.isArray)
      .fold(throw damaged("no codebook"))(_.elements.asScala.map(_.asInt.toByte).toArray)

  private def scalar(fields: JsonNode, dimension: Int): Quantizer = {
    expect(fields, "dim", dimension)
    expect(fields, "num_bits", 8)
    val ends = Option(fields.get("bounds")).map(bounds => (bounds.get("start"), bounds.get("end")))
    ends.collect { case (start, end) if start != null && end != null => (start.asDouble, end.asDouble) }
      .filter { case (start, end) => start <= end && !start.isInfinite && !end.isInfinite }
      .fold(throw damaged("no bounds")) { case (start, end) => Quantizer.Scalar(start, end) }
  }

  private def expect(fields: JsonNode, key: String, value: Int): Unit = {
    val found = number(fields, key)
    if (found != value) throw damaged(s"$key is $found instead of $value")
  }

  private def number(fields: JsonNode, key: String): Int =
    Option(fields.get(key)).filter(node => node.isIntegralNumber && node.canConvertToInt).map(_.asInt)
      .filter(_ >= 0).getOrElse(throw damaged(s"no number '$key'"))

  private def text(fields: JsonNode, key: String): String =
    Option(fields.get(key)).filter(_.isTextual).fold(throw damaged(s"no text '$key'"))(_.asText)

  private def parse(text: String): JsonNode =
    Try(mapper.readTree(text)).toOption.filterNot(_ == null).getOrElse(throw damaged("invalid JSON"))

  private def damaged(what: String) =
    new LanceFormatException(s"the metadata of a vector index: $what")
}
