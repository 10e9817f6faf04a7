package io.sparklance.index.build

import java.text.Normalizer

import scala.collection.immutable.SortedSet

/** Tokens of texts in n-gram indices: three consecutive characters of the prepared text, all of them a digit
  * or a letter from a to z.
  *
  * A text is prepared code point by code point: lower case, then folding to ASCII. The rules are those of the
  * reference, so that it finds the rows of our indices.
  */
private[sparklance] object NGrams {

  /** Stands for null texts. */
  final val NullToken = 0

  final private val Length = 3
  final private val Base = 37

  /** Letters that have no decomposition. */
  private val Folded: Map[Int, String] = Map(
    'ß' -> "ss",
    'ẞ' -> "ss",
    'æ' -> "ae",
    'Æ' -> "ae",
    'œ' -> "oe",
    'Œ' -> "oe",
    'ø' -> "o",
    'Ø' -> "o",
    'ł' -> "l",
    'Ł' -> "l",
    'đ' -> "d",
    'Đ' -> "d",
    'ð' -> "d",
    'Ð' -> "d",
    'þ' -> "th",
    'Þ' -> "th",
    'ħ' -> "h",
    'Ħ' -> "h",
    'ŧ' -> "t",
    'Ŧ' -> "t",
    'ŋ' -> "n",
    'Ŋ' -> "n",
    'ı' -> "i",
    'ĸ' -> "k",
    'ſ' -> "s"
  ).map { case (char, text) => char.toInt -> text }

  /** Returns the distinct tokens of a text. */
  def of(text: String): SortedSet[Int] = {
    val digits = prepared(text).codePoints.toArray.map(digit)
    SortedSet.from(Iterator.range(0, digits.length - Length + 1).flatMap(token(digits, _)))
  }

  /** Returns None for a window with another character. */
  private def token(digits: Array[Int], at: Int): Option[Int] = {
    val window = digits.slice(at, at + Length)
    Option.unless(window.contains(0))(window.foldLeft(0)(_ * Base + _))
  }

  private def digit(char: Int): Int =
    if (char >= '0' && char <= '9') char - '0' + 1
    else if (char >= 'a' && char <= 'z') char - 'a' + 11
    else 0

  private def prepared(text: String): String = {
    val out = new java.lang.StringBuilder(text.length)
    text.codePoints.forEach { char =>
      if (char < 128) { val _ = out.append(Character.toLowerCase(char.toChar)) }
      else new String(Character.toChars(char)).toLowerCase(java.util.Locale.ROOT).codePoints.forEach(fold(
        _,
        out
      ))
    }
    out.toString
  }

  private def fold(char: Int, out: java.lang.StringBuilder): Unit =
    if (char < 128) { val _ = out.appendCodePoint(char) }
    else Folded.get(char) match {
      case Some(text) => val _ = out.append(text)
      case None =>
        val start = out.length
        Normalizer.normalize(new String(Character.toChars(char)), Normalizer.Form.NFKD).codePoints.forEach {
          piece =>
            if (piece < 128) { val _ = out.appendCodePoint(piece) }
            else Folded.get(piece).foreach(out.append)
        }
        if (out.length == start) { val _ = out.appendCodePoint(char) }
    }
}
