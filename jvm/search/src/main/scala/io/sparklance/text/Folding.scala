package io.sparklance.text

import java.text.Normalizer

/** Changes of letters. The rules are those of the reference, code point by code point. */
private[text] object Folding {

  /** Letters that have no decomposition. */
  private val letters: Map[Int, String] = Map(
    'ß' -> "ss",
    'ẞ' -> "SS",
    'Æ' -> "AE",
    'æ' -> "ae",
    'Œ' -> "OE",
    'œ' -> "oe",
    'Ø' -> "O",
    'ø' -> "o",
    'Ł' -> "L",
    'ł' -> "l",
    'Đ' -> "D",
    'Ð' -> "D",
    'đ' -> "d",
    'ð' -> "d",
    'Þ' -> "TH",
    'þ' -> "th",
    'Ħ' -> "H",
    'ħ' -> "h",
    'Ŧ' -> "T",
    'ŧ' -> "t",
    'Ŋ' -> "N",
    'ŋ' -> "n",
    'ı' -> "i",
    'ĸ' -> "k",
    'ſ' -> "s"
  ).map { case (char, text) => char.toInt -> text }

  /** The only capital letter whose small form has two code points. */
  final private val DottedI = 0x130

  def lowerCase(token: String): String =
    if (isAscii(token)) token.toLowerCase(java.util.Locale.ROOT)
    else {
      val out = new java.lang.StringBuilder(token.length)
      token.codePoints.forEach { point =>
        val _ = if (point == DottedI) out.append("i\u0307")
        else out.appendCodePoint(Character.toLowerCase(point))
      }
      out.toString
    }

  /** Replaces letters by ASCII where they have such a form, and keeps others. */
  def ascii(token: String): String =
    if (isAscii(token)) token
    else {
      val out = new java.lang.StringBuilder(token.length)
      token.codePoints.forEach(fold(_, out))
      out.toString
    }

  private def fold(point: Int, out: java.lang.StringBuilder): Unit =
    if (point < 128) { val _ = out.appendCodePoint(point) }
    else letters.get(point) match {
      case Some(text) => val _ = out.append(text)
      case None =>
        val start = out.length
        Normalizer.normalize(new String(Character.toChars(point)), Normalizer.Form.NFKD).codePoints.forEach {
          piece =>
            if (piece < 128) { val _ = out.appendCodePoint(piece) }
            else if (!isMark(piece)) letters.get(piece).foreach(out.append)
        }
        if (out.length == start) { val _ = out.appendCodePoint(point) }
    }

  private def isMark(point: Int): Boolean = {
    val kind = Character.getType(point)
    kind == Character.NON_SPACING_MARK || kind == Character.COMBINING_SPACING_MARK ||
    kind == Character.ENCLOSING_MARK
  }

  def isAscii(token: String): Boolean = {
    var i = 0
    while (i < token.length && token.charAt(i) < 128) i += 1
    i == token.length
  }
}
