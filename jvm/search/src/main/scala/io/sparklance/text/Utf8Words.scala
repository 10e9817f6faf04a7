package io.sparklance.text

import java.util.concurrent.ThreadLocalRandom

/** Receives words, as ranges of bytes. */
private[sparklance] trait WordReceiver {

  /** @param hash
    *   made of the bytes; equal words have the same from one [[Utf8Words]], not from several
    * @param position
    *   place of the word in the text
    */
  def add(from: Int, until: Int, hash: Int, position: Int): Unit
}

/** Finds the tokens of tokenizers that split texts into runs of characters, without decoding the text.
  * Malformed bytes count as U+FFFD, which is no letter.
  *
  * @param isWord
  *   whether a character of ASCII is part of a word
  * @param takesOthers
  *   whether all other characters are; if not, letters and digits are
  */
final private[sparklance] class Utf8Words private (isWord: Array[Boolean], takesOthers: Boolean) {

  // Random, so that no text can be made whose words all have the same hash.
  private val factor = ThreadLocalRandom.current.nextInt() | 1

  def split(bytes: Array[Byte], from: Int, until: Int, out: WordReceiver): Unit = {
    var (start, hash, position) = (-1, 0, 0)
    var at = from
    while (at < until) {
      val byte = bytes(at)
      val length = if (byte >= 0) 1 else Utf8Words.length(bytes, at, until)
      val isIn =
        if (byte >= 0) isWord(byte.toInt)
        else takesOthers || (length > 1 && Tokenizer.isAlphanumeric(Utf8Words.point(bytes, at, length)))
      if (isIn) {
        if (start < 0) { start = at; hash = 0 }
        var i = at
        while (i < at + length) { hash = factor * hash + bytes(i); i += 1 }
      } else if (start >= 0) {
        out.add(start, at, hash, position)
        position += 1
        start = -1
      }
      at += length
    }
    if (start >= 0) out.add(start, until, hash, position)
  }
}

private[sparklance] object Utf8Words {

  /** Returns None for tokenizers of other kinds. */
  def of(tokenizer: Tokenizer): Option[Utf8Words] = tokenizer match {
    case Tokenizer.Simple => Some(new Utf8Words(ascii(Tokenizer.isAlphanumeric(_)), takesOthers = false))
    case Tokenizer.Whitespace =>
      Some(new Utf8Words(ascii(!Tokenizer.isBlank(_)), takesOthers = true))
    case Tokenizer.Raw | _: Tokenizer.NGram | _: Tokenizer.Code => None
  }

  private def ascii(isWord: Int => Boolean): Array[Boolean] = Array.tabulate(128)(isWord)

  /** Returns the number of bytes of the character at a place; 1 if they are malformed. */
  private def length(bytes: Array[Byte], at: Int, until: Int): Int = {
    val first = bytes(at) & 255
    val wanted = if (first >= 0xf0) 4 else if (first >= 0xe0) 3 else 2
    if (first < 0xc2 || first > 0xf4 || at + wanted > until) 1
    else {
      var i = 1
      while (i < wanted && (bytes(at + i) & 0xc0) == 0x80) i += 1
      if (i == wanted && isShortest(point(bytes, at, wanted), wanted)) wanted else 1
    }
  }

  /** Whether a character of more than two bytes is one, and needs them. */
  private def isShortest(point: Int, length: Int): Boolean = length match {
    case 4 => point >= 0x10000 && point <= 0x10ffff
    case 3 => point >= 0x800 && !(point >= 0xd800 && point <= 0xdfff)
    case _ => true
  }

  private def point(bytes: Array[Byte], at: Int, length: Int): Int = {
    var point = bytes(at) & (0xff >> (length + 1))
    var i = 1
    while (i < length) { point = point << 6 | (bytes(at + i) & 63); i += 1 }
    point
  }
}
