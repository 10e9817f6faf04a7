package io.sparklance.spark.types

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.types.MetadataBuilder

import io.sparklance.schema.Field

/** Numbers and truth values in the metadata of Spark's columns. Arrow's metadata are texts: each is stored as
  * one, and a further key records which they are.
  */
private[types] object ScalarMetadata {

  /** Key of the numbers and truth values, a JSON object. */
  final val Key = "spark.metadata"

  /** Spark's own numbers, such as the delay of a watermark, act on queries and are not stored. */
  final private val OfSpark = "spark."

  private val json = new ObjectMapper

  /** Returns the Arrow metadata of entries that are not texts. Arrays and nested metadata are left out. */
  def told(entries: Iterable[(String, JsonNode)]): Map[String, String] = {
    val scalars = entries.filter { case (key, value) =>
      (value.isNumber || value.isBoolean) && !key.startsWith(OfSpark)
    }
    if (scalars.isEmpty) Map.empty
    else {
      val all = json.createObjectNode()
      scalars.foreach { case (key, value) => all.set[JsonNode](key, value) }
      scalars.map { case (key, value) => key -> value.asText }.toMap + (Key -> all.toString)
    }
  }

  /** Returns the entries that are recorded and unchanged. */
  def of(field: Field): Map[String, JsonNode] = {
    val recorded = for {
      text <- field.metadata.get(Key).toVector
      node <- Try(json.readTree(text)).toOption.toVector if node.isObject
      entry <- node.fields.asScala
    } yield entry.getKey -> entry.getValue
    recorded.filter { case (key, value) => field.metadata.get(key).contains(value.asText) }.toMap
  }

  def put(into: MetadataBuilder, key: String, value: JsonNode): Unit = {
    val _ =
      if (value.isBoolean) into.putBoolean(key, value.booleanValue)
      else if (value.isIntegralNumber) into.putLong(key, value.longValue)
      else if (value.isNumber) into.putDouble(key, value.doubleValue)
      else into.putString(key, value.asText)
  }
}
