package io.sparklance.text

/** Operators of programming languages. */
private[text] object CodeOperators {
  private val single = "!%&*+-/:<=>?^|~"

  /** Operators of more than one character. */
  private val longer: Vector[String] =
    (">>>= <<= >>= &&= ||= ??= **= //= === !== >>> <=> :: -> => == != <= >= && || ++ -- += -= *= /= %= &= |= ^= " +
      "<< >> ** // ?? := <- |> ~=").split(' ').toVector

  def isOperator(point: Int): Boolean = single.indexOf(point) >= 0

  /** Returns the end of the longest operator at a place. */
  def end(text: String, at: Int): Int =
    at + longer.iterator.filter(text.startsWith(_, at)).map(_.length).maxOption.getOrElse(1)
}

/** Divides identifiers at underscores, at changes of case, and between letters and digits.
  *
  * @param keepsWhole
  *   whether an identifier is a token, too
  */
final private[sparklance] case class SplitIdentifiers(keepsWhole: Boolean, atDigits: Boolean) {

  /** Returns a receiver of tokens that passes their parts on. Parts move later tokens on. */
  private[text] def open(out: Tokens): Tokens = new Tokens {
    private var moved = 0

    def add(token: String, position: Int): Unit = {
      val parts = partsOf(token)
      if (parts.size <= 1) out.add(token, position + moved)
      else {
        if (keepsWhole) out.add(token, position + moved)
        parts.iterator.zipWithIndex.foreach { case (part, i) => out.add(part, position + moved + i) }
        moved += parts.size - 1
      }
    }
  }

  private def partsOf(token: String): Vector[String] =
    if (!token.codePoints.anyMatch(p => p == '_' || Tokenizer.isAlphanumeric(p))) Vector.empty
    else token.split('_').toVector.filter(_.nonEmpty).flatMap(divided)

  private def divided(segment: String): Vector[String] = {
    val points = segment.codePoints.toArray
    val starts = 0 +: (1 until points.length).filter(isBoundary(points, _)) :+ points.length
    starts.zip(starts.drop(1)).map { case (from, until) => new String(points, from, until - from) }.toVector
  }

  private def isBoundary(points: Array[Int], at: Int): Boolean = {
    val (before, here) = (points(at - 1), points(at))
    (atDigits && isDigit(before) != isDigit(here)) ||
    (Character.isLowerCase(before) && Character.isUpperCase(here)) ||
    (Character.isUpperCase(before) && Character.isUpperCase(here) && at + 1 < points.length &&
      Character.isLowerCase(points(at + 1)))
  }

  private def isDigit(point: Int): Boolean = point >= '0' && point <= '9'
}
