package io.sparklance.text

/** Splits a text into tokens, before filters change or remove them. */
sealed private[sparklance] trait Tokenizer extends Product with Serializable {
  def split(text: String, out: Tokens): Unit
}

private[sparklance] object Tokenizer {

  /** Whether a code point is part of a word: letters, digits, and other characters that stand for numbers. */
  def isAlphanumeric(point: Int): Boolean =
    if (point < 128)
      (point >= 'a' && point <= 'z') ||
      (point >= '0' && point <= '9') ||
      (point >= 'A' && point <= 'Z')
    else
      Character.isAlphabetic(point) || {
        val kind = Character.getType(point)
        kind == Character.DECIMAL_DIGIT_NUMBER || kind == Character.LETTER_NUMBER ||
        kind == Character.OTHER_NUMBER
      }

  /** Whether a code point is a blank of ASCII. */
  private[text] def isBlank(point: Int): Boolean =
    point == ' ' || point == '\t' || point == '\n' || point == '\f' || point == '\r'

  /** Longest runs of letters and digits. */
  case object Simple extends Tokenizer {
    def split(text: String, out: Tokens): Unit = runs(text, isAlphanumeric(_), out)
  }

  /** Runs without ASCII blanks. */
  case object Whitespace extends Tokenizer {
    def split(text: String, out: Tokens): Unit = runs(text, point => !isBlank(point), out)
  }

  /** The whole text. */
  case object Raw extends Tokenizer {
    def split(text: String, out: Tokens): Unit = out.add(text, 0)
  }

  /** All parts of `min` to `max` code points, at position 0, by start and then by length. */
  final case class NGram(min: Int, max: Int, prefixOnly: Boolean) extends Tokenizer {
    def split(text: String, out: Tokens): Unit = {
      var start = 0
      var room = text.codePointCount(0, text.length)
      while (room >= min && (start == 0 || !prefixOnly)) {
        var length = min
        var end = text.offsetByCodePoints(start, min)
        val most = math.min(max, room)
        while (length <= most) {
          out.add(text.substring(start, end), 0)
          if (length < most) end += Character.charCount(text.codePointAt(end))
          length += 1
        }
        start += Character.charCount(text.codePointAt(start))
        room -= 1
      }
    }
  }

  private trait PointTest {
    def apply(point: Int): Boolean
  }

  private def runs(text: String, isIn: PointTest, out: Tokens): Unit = {
    var start = -1
    var position = 0
    var at = 0
    while (at < text.length) {
      val point = text.codePointAt(at)
      if (isIn(point)) { if (start < 0) start = at }
      else if (start >= 0) {
        out.add(text.substring(start, at), position)
        position += 1
        start = -1
      }
      at += Character.charCount(point)
    }
    if (start >= 0) out.add(text.substring(start), position)
  }

  /** Identifiers, and operators if these are wanted.
    *
    * @param split
    *   how identifiers are divided; not at all if None
    */
  final case class Code(operators: Boolean, split: Option[SplitIdentifiers]) extends Tokenizer {
    def split(text: String, out: Tokens): Unit = {
      val parts = split.fold(out)(_.open(out))
      var position = 0
      var at = 0
      while (at < text.length) {
        val point = text.codePointAt(at)
        val end =
          if (isIdentifier(point)) identifierEnd(text, at)
          else if (operators && CodeOperators.isOperator(point)) CodeOperators.end(text, at)
          else -1
        if (end > 0) {
          parts.add(text.substring(at, end), position)
          position += 1
          at = end
        } else at += Character.charCount(point)
      }
    }

    private def isIdentifier(point: Int): Boolean = point == '_' || isAlphanumeric(point)

    private def identifierEnd(text: String, start: Int): Int = {
      var at = start
      while (at < text.length && isIdentifier(text.codePointAt(at)))
        at += Character.charCount(text.codePointAt(at))
      at
    }
  }
}
