package io.sparklance.spark.options

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

import io.sparklance.index.vector.Probes
import io.sparklance.spark.options.RequestFields.wrong
import io.sparklance.vector.{DistanceRange, Metric}

/** Searches as JSON objects, with the names that pylance has for the parameters of `nearest`. An
  * IllegalArgumentException says what the text must be.
  */
private[spark] object SearchJson {

  /** Parameters of index searches. */
  private val counts = Vector("nprobes", "minimum_nprobes", "maximum_nprobes", "refine_factor", "ef")
  private val truths = Vector("use_index", "fast_search")
  private val own = Vector("column", "q", "k", "metric", "filter", "distance_range")

  /** All keys. */
  val keys: Vector[String] = own ++ counts ++ truths

  def parse(text: String): SearchRequest = request(
    RequestFields.parse(text, keys, "a JSON object such as {\"column\": \"v\", \"q\": [1, 2], \"k\": 10}")
  )

  private def request(fields: RequestFields): SearchRequest = {
    counts.foreach(fields.positive)
    truths.foreach(fields.truth)
    SearchRequest(
      RequestFields.text("column", fields.needed("column")),
      query(fields.needed("q")),
      fields.positive("k").getOrElse(SearchRequest.DefaultK),
      fields.text("metric").map(metric),
      fields.condition("filter"),
      fields.get("distance_range").fold(DistanceRange.all)(range),
      Option.when(fields.truth("use_index").getOrElse(true))(
        IndexSearchSettings(
          probes(fields.positive),
          fields.positive("refine_factor"),
          fields.truth("fast_search").contains(true)
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

  private def metric(name: String): Metric = Metric.parse(name).getOrElse(
    throw wrong(s"'metric' must be one of ${Metric.all.map(_.name).mkString(", ")}, not \"$name\"")
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
  def print(parameters: Map[String, Any]): String = RequestFields.print(parameters)
}
