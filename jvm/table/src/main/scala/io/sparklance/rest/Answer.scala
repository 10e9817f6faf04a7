package io.sparklance.rest

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

/** Fields of an answer. A missing field and null are the same; a field of another type is an error. Fields of
  * later specifications are not looked at: they may be left out of answers, too.
  */
final private[rest] class Answer(failure: ServerFailure, json: JsonNode) {

  def text(name: String): Option[String] = field(name).map(textOf(name, _))

  def number(name: String): Option[Long] = field(name).map { value =>
    if (value.isIntegralNumber && value.canConvertToLong) value.longValue
    else throw wrong(name, "a whole number")
  }

  def flag(name: String): Option[Boolean] = field(name).map { value =>
    if (value.isBoolean) value.booleanValue else throw wrong(name, "true or false")
  }

  /** Returns the texts of a list that must be there. */
  def texts(name: String): Vector[String] = items(name).map(textOf(name, _))

  /** Returns the objects of a list that must be there. */
  def answers(name: String): Vector[Answer] = items(name).map(new Answer(failure, _))

  def answer(name: String): Option[Answer] = field(name).map(new Answer(failure, _))

  /** Returns an object of texts; empty if it is missing. */
  def properties(name: String): Map[String, String] = field(name).fold(Map.empty[String, String]) { value =>
    if (!value.isObject) throw wrong(name, "an object")
    value.properties.asScala.map(entry =>
      entry.getKey -> textOf(s"$name.${entry.getKey}", entry.getValue)
    ).toMap
  }

  def required[A](name: String, value: Option[A]): A =
    value.getOrElse(throw failure.unusable(s"gives an answer without '$name'"))

  /** Returns the error for an answer whose value cannot be. */
  def refused(what: String): RuntimeException = failure.unusable(what)

  private def items(name: String): Vector[JsonNode] = field(name) match {
    case Some(list) if list.isArray => list.elements.asScala.toVector
    case _ => throw wrong(name, "a list")
  }

  private def field(name: String): Option[JsonNode] = {
    if (!json.isObject) throw failure.unusable("gives an answer that is no JSON object")
    Option(json.get(name)).filterNot(_.isNull)
  }

  private def textOf(name: String, value: JsonNode): String =
    if (value.isTextual) value.textValue else throw wrong(name, "text")

  private def wrong(name: String, expected: String) =
    failure.unusable(s"gives an answer whose '$name' is not $expected")
}
