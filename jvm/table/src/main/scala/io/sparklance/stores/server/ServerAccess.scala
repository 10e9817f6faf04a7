package io.sparklance.stores.server

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.conf.Configuration

import io.sparklance.rest.{NamespaceServer, ServerOptions}

/** A table of a catalog's server, as its tasks and its commits reach it. It is kept in Hadoop's
  * configuration, so that it travels with the table's location.
  *
  * @param options
  *   of the connection
  * @param table
  *   the parts of its name
  * @param versionsOf
  *   root of the table, if commits go through the server
  */
final private[sparklance] case class ServerAccess(
    options: ServerOptions,
    table: Vector[String],
    versionsOf: Option[String]
) {
  import ServerAccess._

  private[stores] def server: NamespaceServer = new NamespaceServer(options)

  /** Returns the settings that [[ServerAccess.in]] reads this from. */
  def settings: Map[String, String] = Map(
    ConnectionKey -> mapper.writeValueAsString(options.settings.asJava),
    TableKey -> mapper.writeValueAsString(table.asJava)
  ) ++ versionsOf.map(VersionsKey -> _)

  override def toString: String = s"${table.mkString(".")} of $options"
}

private[sparklance] object ServerAccess {

  /** Keys begin like those of file systems, whose settings go wherever the table's location goes. The word
    * `secret` keeps Spark from showing a value.
    */
  private val ConnectionKey = "fs.sparklance.server.secret"
  private val TableKey = "fs.sparklance.server.table"
  private val VersionsKey = "fs.sparklance.server.versions"
  private val mapper = new ObjectMapper

  def in(conf: Configuration): Option[ServerAccess] = for {
    connection <- Option(conf.get(ConnectionKey))
    options <- ServerOptions.of(texts(connection))
    table <- Option(conf.get(TableKey))
  } yield ServerAccess(
    options,
    mapper.readTree(table).elements.asScala.map(_.asText).toVector,
    Option(conf.get(VersionsKey))
  )

  private def texts(json: String): Map[String, String] =
    mapper.readTree(json).properties.asScala.map(entry => entry.getKey -> entry.getValue.asText).toMap
}
