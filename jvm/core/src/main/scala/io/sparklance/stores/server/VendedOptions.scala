package io.sparklance.stores.server

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

/** Options as one text. */
private[server] object VendedOptions {
  private val mapper = new ObjectMapper

  def text(options: Map[String, String]): String = mapper.writeValueAsString(options.asJava)

  def parse(json: String): Map[String, String] =
    mapper.readTree(json).properties.asScala.map(entry => entry.getKey -> entry.getValue.asText).toMap
}
