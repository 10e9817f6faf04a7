package io.sparklance.index.text

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sparklance.LanceUsageException
import io.sparklance.text.TextQuery

/** Reads full-text queries in JSON, with the names that the reference uses:
  * {{{
  * {"match": {"column", "terms", "boost", "fuzziness", "max_expansions", "operator", "prefix_length"}}
  * {"phrase": {"column", "terms", "slop"}}             {"boost": {"positive", "negative", "negative_boost"}}
  * {"multi_match": {"match_queries": [{match}, …]}}    {"boolean": {"must", "should", "must_not"}}
  * }}}
  */
private[sparklance] object TextQueryJson {
  private val mapper = new ObjectMapper
  final private val MaxDepth = 64

  private val parameters: Map[String, Set[String]] = Map(
    "match" -> Set("column", "terms", "boost", "fuzziness", "max_expansions", "operator", "prefix_length"),
    "phrase" -> Set("column", "terms", "slop"),
    "boost" -> Set("positive", "negative", "negative_boost"),
    "multi_match" -> Set("match_queries"),
    "boolean" -> Set("must", "should", "must_not")
  )

  def parse(json: String): TextQuery =
    of(Try(mapper.readTree(json)).getOrElse(throw wrong(s"it is not JSON: $json")))

  def of(node: JsonNode): TextQuery = query(node, 0)

  private def query(node: JsonNode, depth: Int): TextQuery = {
    if (depth > MaxDepth) throw wrong(s"it has more than $MaxDepth levels")
    if (node == null || !node.isObject || node.size != 1)
      throw wrong(s"each query is an object with the name of its kind, not $node")
    val kind = node.fieldNames.next()
    val body = node.get(kind)
    parameters.get(kind) match {
      case None => throw wrong(s"'$kind' is not one of ${parameters.keys.toVector.sorted.mkString(", ")}")
      case Some(known) if body.isObject =>
        body.fieldNames.asScala.find(!known(_)).foreach { name =>
          throw wrong(s"'$kind' has no parameter '$name'; it has ${known.toVector.sorted.mkString(", ")}")
        }
      case Some(_) => throw wrong(s"'$kind' needs an object, not $body")
    }
    kind match {
      case "match" => matching(body)
      case "phrase" => TextQuery.Phrase(text(body, "column"), text(body, "terms"), whole(body, "slop", 0))
      case "boost" =>
        val factor = decimal(body, "negative_boost", 0.5f)
        TextQuery.Boost(
          query(body.get("positive"), depth + 1),
          query(body.get("negative"), depth + 1),
          factor
        )
      case "multi_match" =>
        TextQuery.Best(items(body, "match_queries").map(item =>
          if (item.has("match") && item.size == 1) query(item, depth + 1) else matching(item)
        ))
      case _ =>
        def clauses(name: String) = items(body, name).map(query(_, depth + 1))
        TextQuery.Combined(clauses("must"), clauses("should"), clauses("must_not"))
    }
  }

  private def matching(body: JsonNode): TextQuery.Match = TextQuery.Match(
    text(body, "column"),
    text(body, "terms"),
    decimal(body, "boost", 1f),
    Option(body.get("operator")).exists(operator =>
      operator.asText.toLowerCase(java.util.Locale.ROOT) match {
        case "and" => true
        case "or" => false
        case other => throw wrong(s"the operator '$other' is neither 'and' nor 'or'")
      }
    ),
    whole(body, "fuzziness", 0),
    whole(body, "max_expansions", 50),
    whole(body, "prefix_length", 0)
  )

  private def items(body: JsonNode, name: String): Vector[JsonNode] = Option(body.get(name)).fold(
    Vector.empty[JsonNode]
  ) { node =>
    if (!node.isArray) throw wrong(s"'$name' needs a list, not $node")
    node.elements.asScala.toVector
  }

  private def text(body: JsonNode, name: String): String =
    Option(
      body.get(name)
    ).filter(_.isTextual).map(_.asText).getOrElse(throw wrong(s"'$name' needs a text in $body"))

  /** Returns a parameter that is not negative. Null stands for its default. */
  private def whole(body: JsonNode, name: String, default: Int): Int =
    Option(body.get(name)).filterNot(_.isNull).fold(default) { node =>
      if (!node.canConvertToInt || !node.isIntegralNumber || node.asInt < 0)
        throw wrong(s"'$name' is $node, but must be a whole number from 0 on")
      node.asInt
    }

  private def decimal(body: JsonNode, name: String, default: Float): Float =
    Option(body.get(name)).filterNot(_.isNull).fold(default) { node =>
      if (!node.isNumber) throw wrong(s"'$name' is $node, but must be a number")
      node.floatValue
    }

  private def wrong(what: String) =
    new LanceUsageException(s"The full-text query cannot be read: $what. See docs/text-search.md.")
}
