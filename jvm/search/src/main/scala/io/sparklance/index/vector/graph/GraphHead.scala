package io.sparklance.index.vector.graph

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sparklance.LanceFormatException

/** The text of a graph in the metadata of an index file:
  * {{{
  * {"entry_point":44,"params":{"max_level":7,"m":20,"ef_construction":150,"prefetch_distance":2},"level_offsets":[0,240,251,…]}
  * }}}
  *
  * @param entry
  *   node at which searches begin
  * @param offsets
  *   the row of the graph at which each level begins, and the end of all
  */
final private[vector] case class GraphHead(entry: Int, offsets: Vector[Int], params: GraphParams)

private[vector] object GraphHead {
  private val mapper = new ObjectMapper()

  /** Number of levels above which a text is damaged. */
  final private val MostLevels = 1 << 16

  /** Returns the texts of the graphs, which metadata have as an array. */
  def texts(array: String): Vector[String] = parse(array) match {
    case node if node.isArray && node.elements.asScala.forall(_.isTextual) =>
      node.elements.asScala.map(_.asText).toVector
    case _ => throw damaged("no array of texts")
  }

  /** @param rows number of rows of the graph */
  def of(text: String, rows: Int): GraphHead = {
    val fields = parse(text)
    val offsets = Option(fields.get("level_offsets")).filter(n => n.isArray && n.size <= MostLevels)
      .fold(throw damaged("no level_offsets"))(_.elements.asScala.map(number(_, "level_offsets")).toVector)
    if (
      offsets.size < 2 || offsets.head != 0 || offsets.last > rows ||
      offsets.zip(offsets.tail).exists { case (start, end) => start > end }
    )
      throw damaged(s"levels at the rows ${offsets.take(16).mkString(", ")} of $rows")
    val entry = number(fields.get("entry_point"), "entry_point")
    if (entry >= offsets(1)) throw damaged(s"entry point $entry of ${offsets(1)} nodes")
    GraphHead(entry, offsets, params(fields.get("params")))
  }

  private def params(fields: JsonNode): GraphParams = {
    def of(key: String, default: Int) =
      Option(fields).flatMap(f => Option(f.get(key))).fold(default)(number(_, key))
    val default = GraphParams()
    GraphParams(
      of("m", default.m),
      of("ef_construction", default.beam),
      of("max_level", default.maxLevel)
    )
  }

  /** Returns the text of a graph. */
  def print(head: GraphHead): String = {
    val node = mapper.createObjectNode().put("entry_point", head.entry)
    node.putObject("params").put("max_level", head.params.maxLevel).put("m", head.params.m)
      .put("ef_construction", head.params.beam).put("prefetch_distance", 2)
    val offsets = node.putArray("level_offsets")
    head.offsets.foreach(offsets.add(_))
    mapper.writeValueAsString(node)
  }

  private def number(node: JsonNode, key: String): Int =
    Option(node).filter(n => n.isIntegralNumber && n.canConvertToInt).map(_.asInt).filter(_ >= 0)
      .getOrElse(throw damaged(s"no number '$key'"))

  private def parse(text: String): JsonNode =
    Try(mapper.readTree(text)).toOption.filterNot(_ == null).getOrElse(throw damaged("invalid JSON"))

  private def damaged(what: String) = new LanceFormatException(s"the graph of a vector index: $what")
}

/** Settings with which a graph is built.
  *
  * @param m
  *   edges of a new node, and most of a node on upper levels; the lowest level has twice as many
  * @param beam
  *   nodes that the search for the neighbors of a new node keeps (`ef_construction`)
  * @param maxLevel
  *   number of levels, at most
  */
final private[sparklance] case class GraphParams(m: Int = 20, beam: Int = 150, maxLevel: Int = 7)
