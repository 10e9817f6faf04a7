package io.sparklance.spark.index

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sparklance.LanceUsageException

/** Settings of an index's kind, as text. */
final private[index] class IndexSettings(kind: String, options: Map[String, String]) {
  private val values = options.map { case (name, value) => name.toLowerCase(Locale.ROOT) -> value }

  /** Refuses settings that the kind does not have. */
  def only(names: String*): Unit = values.keys.toVector.sorted.find(!names.contains(_)).foreach { name =>
    val known = if (names.isEmpty) "It has none." else s"It has ${names.mkString(", ")}."
    throw new LanceUsageException(
      s"An index of type ${kind.toUpperCase(Locale.ROOT)} has no setting '$name'. $known"
    )
  }

  /** Returns a whole number within bounds, if it is set. */
  def number(name: String, least: Long, most: Long): Option[Long] = values.get(name).map { text =>
    text.trim.toLongOption.filter(n => n >= least && n <= most).getOrElse(
      throw new LanceUsageException(
        s"Setting '$name' of the index is '$text'. Give a whole number from $least to $most."
      )
    )
  }

  def text(name: String): Option[String] = values.get(name).map(_.trim)

  /** Returns one of some texts; the first one if the setting is absent. */
  def oneOf(name: String, known: Vector[String]): String = text(name).fold(known.head) { given =>
    known.find(_.equalsIgnoreCase(given)).getOrElse(
      throw new LanceUsageException(
        s"Setting '$name' of the index is '$given'. Choose one of ${known.mkString(", ")}."
      )
    )
  }

  /** Returns the texts of a JSON array, if it is set. */
  def texts(name: String): Option[Vector[String]] = text(name).filter(_ != "null").map { text =>
    val root = Try(new ObjectMapper().readTree(text)).toOption.filter(node => node != null && node.isArray)
    root.map(_.elements.asScala.toVector).filter(_.forall(_.isTextual)).map(_.map(_.asText)).getOrElse(
      throw new LanceUsageException(
        s"""Setting '$name' of the index is no JSON array of texts, such as ["the", "a"]. Give one."""
      )
    )
  }

  /** Returns whether a setting is `true`; it may be absent. */
  def flag(name: String): Boolean = flag(name, default = false)

  def flag(name: String, default: Boolean): Boolean = values.get(name).fold(default) { text =>
    text.trim.toLowerCase(Locale.ROOT).toBooleanOption.getOrElse(
      throw new LanceUsageException(s"Setting '$name' of the index is '$text'. Give true or false.")
    )
  }

  /** Returns the numbers of a JSON array, whose arrays are joined, if it is set. */
  def numbers(name: String): Option[Array[Float]] = values.get(name).map { text =>
    def misfit = new LanceUsageException(
      s"Setting '$name' of the index is no JSON array of numbers, such as [[0.5, 1.0], [2.0, 0.0]]. Give one."
    )
    val builder = Array.newBuilder[Float]
    def add(node: JsonNode): Unit =
      if (node.isArray) node.elements.asScala.foreach(add)
      else if (node.isNumber) builder += node.floatValue
      else throw misfit
    val root = Try(new ObjectMapper().readTree(text)).toOption.filter(node => node != null && node.isArray)
    add(root.getOrElse(throw misfit))
    builder.result()
  }

  /** Returns a number between 0 and 1, both excluded, if it is set. */
  def fraction(name: String): Option[Double] = values.get(name).map { text =>
    text.trim.toDoubleOption.filter(n => n > 0 && n < 1).getOrElse(
      throw new LanceUsageException(
        s"Setting '$name' of the index is '$text'. Give a number between 0 and 1."
      )
    )
  }
}
