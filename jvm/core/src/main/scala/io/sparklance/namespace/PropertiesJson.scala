package io.sparklance.namespace

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sparklance.LanceFormatException

/** Properties as the JSON object in which they are stored. Values are strings; other values, written by other
  * software, are shown as JSON and stored unchanged.
  */
private[namespace] object PropertiesJson {
  private val json = new ObjectMapper

  /** Returns the stored form; None if there are no properties. */
  def text(properties: Map[String, String]): Option[String] =
    Option.when(properties.nonEmpty) {
      val node = json.createObjectNode()
      properties.toVector.sorted.foreach { case (key, value) => node.put(key, value) }
      node.toString
    }

  /** @param owner the object with these properties */
  def parse(text: Option[String], owner: String): Map[String, String] =
    text.fold(Map.empty[String, String])(t => shown(node(t, owner)))

  /** Returns the stored form after an edit. */
  def changed(text: Option[String], owner: String)(edit: Map[String, String] => Map[String, String])
      : Option[String] = {
    val kept = text.fold(json.createObjectNode())(node(_, owner))
    val before = shown(kept)
    val after = edit(before)
    (before.keySet -- after.keySet).foreach(key => kept.remove(key))
    after.toVector.sorted.foreach { case (key, value) =>
      if (!before.get(key).contains(value)) kept.put(key, value)
    }
    Option.when(!kept.isEmpty)(kept.toString)
  }

  private def shown(node: ObjectNode): Map[String, String] =
    node.fields.asScala.map(field => field.getKey -> shown(field.getValue)).toMap

  private def shown(value: JsonNode): String = if (value.isTextual) value.textValue else value.toString

  private def node(text: String, owner: String): ObjectNode =
    try
      json.readTree(text) match {
        case node: ObjectNode => node
        case _ => throw bad(owner, "no JSON object")
      }
    catch { case e: JsonProcessingException => throw bad(owner, s"no JSON: ${e.getOriginalMessage}", e) }

  private def bad(owner: String, what: String, cause: Throwable = null) =
    new LanceFormatException(s"the metadata of '$owner' are $what", cause = cause)
}
