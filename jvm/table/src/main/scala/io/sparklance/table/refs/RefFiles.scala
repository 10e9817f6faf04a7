package io.sparklance.table.refs

import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sparklance.io.{ObjectStore, StorePath, WholeFile}
import io.sparklance.{LanceFormatException, Location}

/** The files of a directory of `_refs`: one JSON object for each tag, or each branch. */
final private[refs] class RefFiles[A](store: ObjectStore, directory: String, codec: RefCodec[A]) {
  import RefFiles._

  /** All, by name. */
  def all: Vector[(String, A)] = store
    .list(directory)
    .map(_.name)
    .filter(name => name.endsWith(Suffix) && !name.startsWith("."))
    .flatMap { file =>
      val name = RefNames.decode(file.stripSuffix(Suffix)).getOrElse(
        throw new LanceFormatException(
          "the file's name is that of no tag or branch",
          Location(file = Some(StorePath.join(directory, file)))
        )
      )
      get(name).map(name -> _)
    }
    .sortBy(_._1)

  def get(name: String): Option[A] =
    WholeFile.ifExists(store, path(name)) { file =>
      LanceFormatException.locating(Location(file = Some(file.path))) {
        if (file.size > MaxSize)
          throw new LanceFormatException(s"${file.size} bytes are not a tag or branch")
        codec.decode(parse(WholeFile.bytes(file)))
      }
    }

  /** Creates a file. Returns false if the name exists. */
  def create(name: String, ref: A): Boolean = store.putIfAbsent(path(name), encoded(ref))

  def replace(name: String, ref: A): Unit = store.put(path(name), encoded(ref))

  def delete(name: String): Unit = store.delete(path(name))

  private def path(name: String): String = StorePath.join(directory, RefNames.encode(name) + Suffix)

  private def encoded(ref: A): Array[Byte] = {
    val node = json.createObjectNode()
    codec.encode(ref, node)
    json.writerWithDefaultPrettyPrinter.writeValueAsString(node).getBytes(UTF_8)
  }
}

private[refs] object RefFiles {
  private val Suffix = ".json"

  /** Far more than names, numbers and a user's metadata need. */
  private val MaxSize = 16L << 20

  private val json = new ObjectMapper

  private def parse(bytes: Array[Byte]): JsonObject =
    try
      json.readTree(new String(bytes, UTF_8)) match {
        case node: ObjectNode => new JsonObject(node)
        case _ => throw new LanceFormatException("the file is not a JSON object")
      }
    catch {
      case e: JsonProcessingException =>
        throw new LanceFormatException(s"the file is not JSON: ${e.getOriginalMessage}", cause = e)
    }
}

/** JSON form of a tag or branch. */
private[refs] trait RefCodec[A] {
  def encode(ref: A, into: ObjectNode): Unit
  def decode(from: JsonObject): A
}

/** An unchecked JSON object. */
final private[refs] class JsonObject(node: ObjectNode) {

  def text(key: String): Option[String] = present(key).map { value =>
    if (value.isTextual) value.textValue else throw wrong(key, "a text")
  }

  /** Returns a non-negative integer. */
  def number(key: String): Long = present(key) match {
    case Some(value) if value.isIntegralNumber && value.canConvertToLong && value.longValue >= 0 =>
      value.longValue
    case _ => throw wrong(key, "a number")
  }

  def texts(key: String): Map[String, String] = present(key).fold(Map.empty[String, String]) { value =>
    if (!value.isObject) throw wrong(key, "an object of texts")
    val entries = Map.newBuilder[String, String]
    value.fields.forEachRemaining { entry =>
      if (!entry.getValue.isTextual) throw wrong(key, "an object of texts")
      entries += entry.getKey -> entry.getValue.textValue
    }
    entries.result()
  }

  def present(key: String): Option[JsonNode] = Option(node.get(key)).filterNot(_.isNull)

  def wrong(key: String, what: String): LanceFormatException =
    new LanceFormatException(s"'$key' is not $what")
}
