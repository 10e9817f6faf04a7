package io.sparklance.spark.options

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

import io.sparklance.WeightedCache
import io.sparklance.index.text.TextQueryJson
import io.sparklance.spark.options.RequestFields.wrong
import io.sparklance.text.TextQuery

/** Searches for texts as JSON objects. A text that is no JSON object stands for its words.
  * {{{
  * {"query": "words", "columns": ["body"], "limit": 10, "filter": "id > 7", "fast_search": true,
  *  "operator": "and", "fuzziness": 1, "max_expansions": 50, "prefix_length": 2, "boost": 2.0}
  * {"query": "words", "slop": 0}                         a phrase
  * {"query": ["words", "others"]}                        a batch
  * {"query": {"match": {"column": "body", "terms": "words"
  * }}}
  * }}}
  */
private[spark] object TextJson {
  private val ofMatch = Vector("boost", "operator", "fuzziness", "max_expansions", "prefix_length")

  /** Settings of words. */
  val forms: Vector[String] = ofMatch :+ "slop"
  private val keys: Vector[String] = Vector("query", "columns", "limit", "filter", "fast_search") ++ forms

  /** The last requests: Spark asks several times for the same one, which may have thousands of queries. */
  private val recent = new WeightedCache[String, TextRequest](4L << 20)

  def parse(text: String): TextRequest = recent.getOrElseUpdate(text, _ => text.length.toLong)(read(text))

  private def read(text: String): TextRequest =
    if (!text.trim.startsWith("{"))
      TextRequest(
        Vector(TextRequest.Words(text, TextQuery.Match("", ""))),
        Vector.empty,
        None,
        None,
        false,
        false
      )
    else
      request(RequestFields.parse(
        text,
        keys,
        "words, or a JSON object such as {\"query\": \"words\", \"columns\": [\"body\"]}"
      ))

  private def request(fields: RequestFields): TextRequest = {
    val query = fields.needed("query")
    val form = this.form(forms.flatMap(key => fields.get(key).map(key -> _)).toMap)
    val wanted = if (query.isArray) query.elements.asScala.toVector else Vector(query)
    if (wanted.isEmpty) throw wrong("'query' is an empty list; give one query, or some")
    TextRequest(
      wanted.map(this.wanted(_, form)),
      fields.get("columns").fold(Vector.empty[String])(names),
      fields.get("limit").map(limit),
      fields.condition("filter"),
      query.isArray,
      fields.truth("fast_search").contains(true)
    )
  }

  private def wanted(node: JsonNode, form: Option[TextQuery.Leaf]): TextRequest.Wanted =
    if (node.isTextual && !node.asText.trim.startsWith("{"))
      TextRequest.Words(node.asText, form.getOrElse(TextQuery.Match("", "")))
    else if (form.isDefined)
      throw wrong(s"${forms.mkString(", ")} are settings of words; a structured query has its own")
    else
      TextRequest.Structured(if (node.isTextual) TextQueryJson.parse(node.asText) else TextQueryJson.of(node))

  /** Returns the settings of words, if there are any. */
  private def form(settings: Map[String, JsonNode]): Option[TextQuery.Leaf] = Option.when(settings.nonEmpty) {
    val kind = if (settings.contains("slop")) "phrase" else "match"
    ofMatch.find(name => kind == "phrase" && settings.contains(name)).foreach { name =>
      throw wrong(s"'slop' asks for a phrase, which has no '$name'; leave one of them out")
    }
    val all = Map[String, Any]("column" -> "", "terms" -> "") ++ settings
    TextQueryJson.parse(RequestFields.print(Map(kind -> all))) match {
      case leaf: TextQuery.Leaf => leaf
      case other => throw new IllegalStateException(s"$kind was read as $other")
    }
  }

  private def names(node: JsonNode): Vector[String] =
    if (node.isTextual) Vector(node.asText)
    else if (node.isArray) node.elements.asScala.map(RequestFields.text("columns", _)).toVector
    else throw wrong(s"'columns' must be names of columns, not $node")

  private def limit(node: JsonNode): Int =
    if (node.isIntegralNumber && node.canConvertToInt && node.asInt >= 0) node.asInt
    else throw wrong(s"'limit' must be a whole number, not $node")
}
