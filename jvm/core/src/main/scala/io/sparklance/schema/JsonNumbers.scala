package io.sparklance.schema

import java.math.RoundingMode.{HALF_EVEN, UP}
import java.math.{BigDecimal, MathContext}

/** Doubles as JSON text, as the reference writes them: `1.5`, `100000.0`, `0.00001`, `1e-6`, `1.2e+29`. */
private object JsonNumbers {

  /** From here on numbers are written with an exponent. */
  private val MostWholeDigits = 16

  def text(value: Double): String =
    if (value.isNaN || value.isInfinite) "null"
    else {
      val sign = if (java.lang.Double.doubleToRawLongBits(value) < 0) "-" else ""
      sign + (if (value == 0) "0.0" else positive(math.abs(value)))
    }

  private def positive(value: Double): String = {
    val shortest = this.shortest(value).stripTrailingZeros
    val digits = shortest.unscaledValue.toString
    // How many of the digits stand before the point; 0 or less if there are zeroes behind it first.
    val whole = digits.length - shortest.scale
    if (whole > 0 && whole <= MostWholeDigits) {
      val padded = digits.padTo(whole, '0')
      s"${padded.take(whole)}.${if (padded.length == whole) "0" else padded.drop(whole)}"
    } else if (whole > -5 && whole <= 0) s"0.${"0" * -whole}$digits"
    else {
      val exponent = whole - 1
      val fraction = if (digits.length == 1) "" else s".${digits.tail}"
      s"${digits.head}$fraction${if (exponent < 0) "e" else "e+"}$exponent"
    }
  }

  /** The fewest digits that are read back as `value`, and of these the nearest. `Double.toString` has more of them before
    * Java 19, and never less than two.
    */
  private def shortest(value: Double): BigDecimal = {
    val exact = new BigDecimal(value)
    val printed = new BigDecimal(value.toString).stripTrailingZeros
    // Below a power of two doubles are closer together than above it, so the nearest digits may be those of another one.
    def rounded(digits: Int): Option[BigDecimal] =
      Iterator(HALF_EVEN, UP)
        .map(mode => exact.round(new MathContext(digits, mode)))
        .find(_.doubleValue == value)
    Iterator
      .range(printed.precision, 0, -1)
      .map(rounded)
      .takeWhile(_.isDefined)
      .flatten
      .foldLeft(printed)((_, shorter) => shorter)
  }
}
