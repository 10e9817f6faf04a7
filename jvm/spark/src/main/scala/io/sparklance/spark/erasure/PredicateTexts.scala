package io.sparklance.spark.erasure

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import io.sparklance.dataset.erasure.SoughtTexts

/** Tells which conditions that a history records name values of erased rows.
  *
  * @param texts
  *   strings and binary values, as characters of ISO 8859-1
  * @param keys
  *   names of columns, each with a value
  */
final private[erasure] class PredicateTexts(texts: SoughtTexts, keys: Set[(String, String)]) {
  import PredicateTexts._

  private val values = keys.groupMap(_._1)(_._2)

  def isIn(predicate: String): Boolean = spellings(predicate).exists { text =>
    val bytes = text.getBytes(UTF_8)
    texts.in(bytes, bytes.length).nonEmpty
  } || literals(predicate).exists(texts.texts) || hasKey(predicate)

  private def hasKey(predicate: String): Boolean = {
    val words = predicate.split("[^\\p{L}\\p{N}_.-]+").toSet
    // The last parts are the names of fields of structs.
    val names = words.map(word => word.drop(word.lastIndexOf('.') + 1))
    values.exists { case (name, ofName) =>
      (names(name) || name.contains(' ') && predicate.contains(name)) &&
      ofName.exists(value => words(value) || value.contains(' ') && hasTime(predicate, value))
    }
  }
}

private object PredicateTexts {
  private val Literal = """'((?:[^'\\]|''|\\.)*)'|"((?:[^"\\]|""|\\.)*)"""".r

  /** Returns a condition, and what it says if doubled quotes, or characters after a backslash, are one. */
  private def spellings(text: String): Set[String] = Set(
    text,
    text.replace("''", "'").replace("\"\"", "\""),
    text.replaceAll("""\\(.)""", "$1")
  )

  private def literals(predicate: String): Set[String] = Literal.findAllMatchIn(predicate).flatMap { found =>
    spellings(Option(found.group(1)).getOrElse(found.group(2)))
  }.map(text => new String(text.getBytes(UTF_8), ISO_8859_1)).toSet

  /** Whether a condition has a point in time, with or without a `T` between date and time. */
  private def hasTime(predicate: String, value: String): Boolean =
    predicate.contains(value) || predicate.contains(value.replace(' ', 'T'))
}
