package io.sparklance.spark.index

import java.util.Locale

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

  /** Returns a number between 0 and 1, both excluded, if it is set. */
  def fraction(name: String): Option[Double] = values.get(name).map { text =>
    text.trim.toDoubleOption.filter(n => n > 0 && n < 1).getOrElse(
      throw new LanceUsageException(
        s"Setting '$name' of the index is '$text'. Give a number between 0 and 1."
      )
    )
  }
}
