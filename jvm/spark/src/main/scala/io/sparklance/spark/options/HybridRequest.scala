package io.sparklance.spark.options

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import io.sparklance.spark.options.RequestFields.wrong

/** A search for vectors and one for texts, whose results become one.
  *
  * @param column
  *   column of the vectors; the only one of the table if None
  * @param nearest
  *   gives the search for vectors in a column
  */
final private[spark] case class HybridRequest(
    column: Option[String],
    nearest: String => SearchRequest,
    text: TextRequest,
    k: Int,
    fusion: Fusion
)

/** A way to make one order of two. */
sealed private[spark] trait Fusion extends Product with Serializable

private[spark] object Fusion {

  /** Sums 1 / (rank + constant), with ranks from 0. */
  final case class ReciprocalRanks(constant: Double) extends Fusion

  /** Mixes distances and scores, each scaled to 0 for the worst and 1 for the best row.
    *
    * @param alpha
    *   share of the distance
    */
  final case class Weighted(alpha: Double) extends Fusion
}

/** Hybrid searches as JSON objects, with the two searches inside:
  * {{{
  * {"nearest": {"q": [0.1, 0.7]}, "fullTextQuery": {"query": "words"}, "k": 10, "rrf_k": 60, "candidates": 40}
  * {"nearest": {…}, "fullTextQuery": {…}, "alpha": 0.3, "filter": "id > 7"}
  * }}}
  */
private[spark] object HybridJson {
  private val keys = Vector("nearest", "fullTextQuery", "k", "rrf_k", "alpha", "candidates", "filter")
  final private val Oversampling = 4

  def parse(text: String): HybridRequest =
    request(RequestFields.parse(text, keys, "a JSON object with 'nearest' and 'fullTextQuery'"))

  private def request(fields: RequestFields): HybridRequest = {
    val k = fields.positive("k").getOrElse(SearchRequest.DefaultK)
    val candidates =
      fields.positive("candidates").getOrElse(math.min(Int.MaxValue.toLong, k.toLong * Oversampling).toInt)
    if (candidates < k) throw wrong(s"'candidates' is below 'k', so that there would be too few of them")
    val nearest = part(fields.node, "nearest").put("k", candidates)
    val texts = part(fields.node, "fullTextQuery").put("limit", candidates)
    fields.get("filter").foreach { filter =>
      nearest.set[JsonNode]("filter", filter)
      texts.set[JsonNode]("filter", filter)
    }
    val text = TextJson.parse(texts.toString)
    if (text.isBatch) throw wrong("'fullTextQuery' must have one query, not a list")
    val column = Option(nearest.get("column")).filter(_.isTextual).map(_.asText)
    HybridRequest(
      column,
      name => SearchJson.parse(nearest.deepCopy().put("column", name).toString),
      text,
      k,
      fusion(fields.get("rrf_k"), fields.get("alpha"))
    )
  }

  private def part(fields: ObjectNode, key: String): ObjectNode = fields.get(key) match {
    case node: ObjectNode =>
      Vector("k", "limit", "filter").find(node.has).foreach { name =>
        throw wrong(s"'$name' belongs to the whole search, not into '$key'")
      }
      node.deepCopy()
    case _ => throw wrong(s"it must have '$key', a JSON object")
  }

  private def fusion(constant: Option[JsonNode], alpha: Option[JsonNode]): Fusion = (constant, alpha) match {
    case (Some(_), Some(_)) => throw wrong("'rrf_k' and 'alpha' exclude each other; give one of them")
    case (_, Some(share)) =>
      if (!share.isNumber || share.asDouble < 0 || share.asDouble > 1)
        throw wrong(s"'alpha' must be a number from 0 to 1, not $share")
      Fusion.Weighted(share.asDouble)
    case (constant, None) =>
      val value = constant.fold(60.0) { node =>
        if (node.isNumber && node.asDouble > 0) node.asDouble
        else throw wrong(s"'rrf_k' must be a number above 0, not $node")
      }
      Fusion.ReciprocalRanks(value)
  }
}
