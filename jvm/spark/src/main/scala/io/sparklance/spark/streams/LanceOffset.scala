package io.sparklance.spark.streams

import scala.util.Try

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.connector.read.streaming.Offset

import io.sparklance.LanceUsageException

/** The position of a stream in the history of a table.
  *
  * @param version
  *   the last version that the stream has begun
  * @param index
  *   number of its fragments that were read; None if all were
  * @param isSnapshot
  *   whether the rows of that version are read, not its changes
  * @param identity
  *   tells the version from that of another table; empty before the first version
  * @param origin
  *   the start of the stream, in offsets that come right after it. Spark keeps no record of the start, and
  *   asks for one again if the first batch is repeated
  * @param kind
  *   what the stream reads; None in offsets of early releases
  */
final private[sparklance] case class LanceOffset(
    version: Long,
    index: Option[Int],
    isSnapshot: Boolean,
    identity: String,
    origin: Option[LanceOffset] = None,
    kind: Option[StreamKind] = None
) extends Offset {
  override def json(): String = node.toString

  private def node: ObjectNode = {
    val node = LanceOffset.mapper.createObjectNode()
    node.put("lanceOffset", LanceOffset.Format).put("version", version)
    index.foreach(node.put("index", _))
    node.put("isSnapshot", isSnapshot).put("identity", identity)
    kind.foreach(kind => node.put("reads", kind.name))
    origin.foreach(start => node.set[JsonNode]("origin", start.node))
    node
  }
}

private[sparklance] object LanceOffset {

  /** Version of the JSON. */
  final private val Format = 1
  private val mapper = new ObjectMapper

  /** Parses an offset of a checkpoint. */
  def parse(json: String): LanceOffset = {
    val node = Try(mapper.readTree(json)).toOption.filter(_.isObject).getOrElse(throw malformed(json))
    of(node, json)
  }

  private def of(node: JsonNode, json: String): LanceOffset = {
    val format = number(node, "lanceOffset").getOrElse(throw malformed(json))
    if (format > Format)
      throw new LanceUsageException(
        s"The checkpoint has an offset of format $format, written by a later release; this one reads format $Format. Run the query with that " +
          "release or a later one."
      )
    LanceOffset(
      number(node, "version").filter(_ >= 0).getOrElse(throw malformed(json)),
      number(node, "index").map(_.toInt),
      node.path("isSnapshot").asBoolean(false),
      Option(node.get("identity")).filter(_.isTextual).fold(throw malformed(json))(_.asText),
      Option(node.get("origin")).map(of(_, json).copy(origin = None)),
      Option(node.get("reads")).map(kind => StreamKind.parse(kind.asText).getOrElse(throw malformed(json)))
    )
  }

  private def number(node: JsonNode, key: String): Option[Long] =
    Option(node.get(key)).filter(_.canConvertToLong).map(_.asLong)

  private def malformed(json: String) = new LanceUsageException(
    s"The checkpoint has the offset $json, which is not one of a Lance table. Use the checkpoint with the query that wrote it, or another one."
  )
}
