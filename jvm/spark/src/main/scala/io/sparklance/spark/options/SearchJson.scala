package io.sparklance.spark.options

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sparklance.index.vector.Probes
import io.sparklance.vector.{DistanceRange, Metric}

/** Searches as JSON objects, with the names that pylance has for the parameters of `nearest`. An
  * IllegalArgumentException says what the text must be.
  */
private[spark] object SearchJson {
  private val mapper = new ObjectMapper()

  /** Parameters of index searches. */
  private val counts = Vector("nprobes", "minimum_nprobes", "maximum_nprobes", "refine_factor", "ef")
  private val truths = Vector("use_index", "fast_search")
  private val own = Vector("column", "q", "k", "metric", "filter", "distance_range")

  /** All keys. */
  val keys: Vector[String] = own ++ counts ++ truths

  def parse(text: String): SearchRequest = Try(mapper.readTree(text)).toOption match {
    case Some(fields: ObjectNode) => request(fields)
    case _ => throw wrong("it must be a JSON object such as {\"column\": \"v\", \"q\": [1, 2], \"k\": 10}")
  }

  private def request(fields: ObjectNode): SearchRequest = {
    fields.fieldNames.asScala.find(!keys.contains(_)).foreach { key =>
      throw wrong(s"it has no '$key'; known are ${keys.mkString(", ")}")
    }
    def found(key: String): Option[JsonNode] = Option(fields.get(key)).filterNot(_.isNull)
    def needed(key: String): JsonNode = found(key).getOrElse(throw wrong(s"it must have '$key'"))
    counts.foreach(key => found(key).foreach(positive(key, _)))
    truths.foreach(key => found(key).foreach(truth(key, _)))

    SearchRequest(
      text("column", needed("column")),
      query(needed("q")),
      found("k").fold(SearchRequest.DefaultK)(positive("k", _)),
      found("metric").map(metric),
      found("filter").map(text("filter", _)).map(ConditionText.checked("filter")),
      found("distance_range").fold(DistanceRange.all)(range),
      Option.unless(found("use_index").exists(!_.asBoolean))(
        IndexedSearch(
          probes(key => found(key).map(positive(key, _))),
          found("refine_factor").map(positive("refine_factor", _)),
          found("fast_search").exists(_.asBoolean)
        )
      )
    )
  }

  private def probes(count: String => Option[Int]): Probes = {
    val (least, most) = (count("minimum_nprobes"), count("maximum_nprobes"))
    if (count("nprobes").isDefined && (least.isDefined || most.isDefined))
      throw wrong(
        "'nprobes' sets both 'minimum_nprobes' and 'maximum_nprobes'; give either the one or the others"
      )
    if (least.exists(n => most.exists(_ < n))) throw wrong("'maximum_nprobes' is below 'minimum_nprobes'")
    count("nprobes").fold(Probes(least.getOrElse(1), most))(Probes.exactly).copy(beam = count("ef"))
  }

  private def query(node: JsonNode): QueryValue =
    if (!node.isArray) throw wrong("'q' must be an array of numbers, or of such arrays")
    else {
      val parts = node.elements.asScala.toVector
      if (parts.nonEmpty && parts.forall(_.isArray)) QueryValue.Several(parts.map(query))
      else QueryValue.Items(parts.map(number))
    }

  /** JSON has no infinities, so they are texts. */
  private def number(node: JsonNode): Double =
    if (node.isNumber) node.asDouble
    else
      Option.when(node.isTextual)(node.asText).flatMap(_.toDoubleOption)
        .getOrElse(throw wrong(s"'q' has $node among its numbers"))

  private def positive(key: String, node: JsonNode): Int =
    if (node.isIntegralNumber && node.canConvertToInt && node.asInt > 0) node.asInt
    else throw wrong(s"'$key' must be a whole number above 0, not $node")

  private def truth(key: String, node: JsonNode): Boolean =
    if (node.isBoolean) node.asBoolean else throw wrong(s"'$key' must be true or false, not $node")

  private def text(key: String, node: JsonNode): String =
    if (node.isTextual) node.asText else throw wrong(s"'$key' must be a text, not $node")

  private def metric(node: JsonNode): Metric =
    Metric.parse(text("metric", node)).getOrElse(
      throw wrong(s"'metric' must be one of ${Metric.all.map(_.name).mkString(", ")}, not $node")
    )

  private def range(node: JsonNode): DistanceRange = {
    def end(i: Int): Option[Float] = Option(node.get(i)).filterNot(_.isNull).map { value =>
      if (value.isNumber && !value.asDouble.isNaN) value.asDouble.toFloat
      else throw wrong(s"'distance_range' has the end $value, which must be a number or null")
    }
    if (node.isArray && node.size == 2) DistanceRange(end(0), end(1))
    else throw wrong("'distance_range' must be [lower, upper], where null leaves an end open")
  }

  /** Returns the JSON text of parameters: texts, numbers, truth values, and arrays of these. */
  def print(parameters: Map[String, Any]): String =
    mapper.writeValueAsString(plain(parameters))

  private def plain(value: Any): Any = value match {
    case entries: Map[_, _] => entries.map { case (key, value) => key -> plain(value) }.asJava
    case items: Seq[_] => items.map(plain).asJava
    case double: Double if double.isInfinite || double.isNaN => double.toString
    case other => other
  }

  private def wrong(what: String) = new IllegalArgumentException(what)
}
