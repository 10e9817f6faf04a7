package io.sparklance.index.vector.build

import com.fasterxml.jackson.databind.ObjectMapper

import io.sparklance.index.vector.Quantizer

/** The JSON texts in the metadata of a segment's files, with the keys in the order of the reference. */
private[build] object SegmentJson {
  private val mapper = new ObjectMapper

  def index(model: IvfModel): String = mapper.writeValueAsString(
    mapper.createObjectNode().put("type", model.kind.name).put("distance_type", model.metric.name)
  )

  /** An array of texts, each of which may be JSON itself. */
  def array(texts: Vector[String]): String = {
    val node = mapper.createArrayNode()
    texts.foreach(node.add)
    mapper.writeValueAsString(node)
  }

  def quantizer(model: IvfModel): String = {
    val node = mapper.createObjectNode()
    model.quantizer match {
      case Quantizer.Flat(_) => node.put("dim", model.dimension)
      case Quantizer.Product(parts, bits, _, isTransposed) =>
        node.put("codebook_position", 2).put("nbits", bits).put("num_sub_vectors", parts)
          .put("dimension", model.dimension)
        node.putArray("codebook_tensor")
        node.put("transposed", isTransposed)
      case Quantizer.Scalar(start, end) =>
        node.put("dim", model.dimension).put("num_bits", 8)
        node.putObject("bounds").put("start", start).put("end", end)
      case Quantizer.Rotated(extra, rotation, isPacked) =>
        node.putNull("rotate_mat_position")
        val signs = node.putArray("fast_rotation_signs")
        rotation.signs.foreach(byte => signs.add(byte & 0xff))
        node.put("rotation_type", "fast").put("code_dim", model.dimension).put("num_bits", extra + 1)
          .put("packed", isPacked).put("query_estimator", "raw_query")
    }
    mapper.writeValueAsString(node)
  }
}
