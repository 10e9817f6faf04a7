package io.sparklance.spark.options

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** The fields of a request that is a JSON object. A field that is null counts as absent. An
  * IllegalArgumentException says what a field must be.
  */
final private[options] class RequestFields private (val node: ObjectNode) {
  import RequestFields.wrong

  def get(key: String): Option[JsonNode] = Option(node.get(key)).filterNot(_.isNull)

  def needed(key: String): JsonNode = get(key).getOrElse(throw wrong(s"it must have '$key'"))

  def text(key: String): Option[String] = get(key).map(RequestFields.text(key, _))

  /** Returns a condition, whose form is checked. */
  def condition(key: String): Option[String] = text(key).map(ConditionText.checked(key))

  /** Returns a whole number above 0. */
  def positive(key: String): Option[Int] = get(key).map { value =>
    if (value.isIntegralNumber && value.canConvertToInt && value.asInt > 0) value.asInt
    else throw wrong(s"'$key' must be a whole number above 0, not $value")
  }

  def truth(key: String): Option[Boolean] = get(key).map { value =>
    if (value.isBoolean) value.asBoolean else throw wrong(s"'$key' must be true or false, not $value")
  }
}

private[options] object RequestFields {
  private val mapper = new ObjectMapper

  /** Returns the fields of a JSON object that has no other keys than the known ones.
    *
    * @param form
    *   the object that the text must be, for messages
    */
  def parse(text: String, known: Vector[String], form: String): RequestFields =
    Try(mapper.readTree(text)).toOption match {
      case Some(node: ObjectNode) =>
        node.fieldNames.asScala.find(!known.contains(_)).foreach { key =>
          throw wrong(s"it has no '$key'; known are ${known.mkString(", ")}")
        }
        new RequestFields(node)
      case _ => throw wrong(s"it must be $form")
    }

  /** Returns the JSON text of maps, sequences, texts, numbers and truth values. JSON has no infinities, so
    * they are texts.
    */
  def print(value: Any): String = mapper.writeValueAsString(plain(value))

  private def plain(value: Any): Any = value match {
    case entries: Map[_, _] => entries.map { case (key, value) => key -> plain(value) }.asJava
    case items: Seq[_] => items.map(plain).asJava
    case double: Double if double.isInfinite || double.isNaN => double.toString
    case other => other
  }

  def text(key: String, node: JsonNode): String =
    if (node.isTextual) node.asText else throw wrong(s"'$key' must be a text, not $node")

  def wrong(what: String): IllegalArgumentException = new IllegalArgumentException(what)
}
