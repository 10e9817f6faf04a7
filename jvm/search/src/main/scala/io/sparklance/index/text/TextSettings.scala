package io.sparklance.index.text

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sparklance.LanceUsageException

/** Settings that users give as a JSON object. */
private[text] object TextSettings {
  private val mapper = new ObjectMapper

  /** Returns the settings. Fails if there are unknown ones. */
  def read(json: String, known: Vector[String]): Map[String, JsonNode] =
    Try(mapper.readTree(json)).toOption match {
      case Some(fields: ObjectNode) =>
        fields.fieldNames.asScala.find(!known.contains(_)).foreach { name =>
          throw new LanceUsageException(s"There is no setting '$name'. Known are ${known.mkString(", ")}.")
        }
        fields.properties.asScala.map(entry => entry.getKey -> entry.getValue).toMap
      case _ =>
        throw new LanceUsageException(
          s"The settings '$json' are not a JSON object. Give one such as {\"operator\": \"and\"}."
        )
    }
}
