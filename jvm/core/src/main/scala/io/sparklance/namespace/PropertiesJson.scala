package io.sparklance.namespace

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import io.sparklance.LanceFormatException

/** Properties as the JSON object of strings in which they are kept. */
private[namespace] object PropertiesJson {
  private val json = new ObjectMapper

  def text(properties: Map[String, String]): String = {
    val node = json.createObjectNode()
    properties.toVector.sorted.foreach { case (key, value) => node.put(key, value) }
    node.toString
  }

  def parse(text: String, what: String): Map[String, String] =
    try
      json.readTree(text) match {
        case node: ObjectNode =>
          node.fields.asScala.map(field => field.getKey -> field.getValue.asText).toMap
        case _ => throw new LanceFormatException(s"the $what are no JSON object")
      }
    catch {
      case e: JsonProcessingException =>
        throw new LanceFormatException(s"the $what are no JSON: ${e.getOriginalMessage}", cause = e)
    }
}
