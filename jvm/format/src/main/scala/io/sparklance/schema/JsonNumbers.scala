package io.sparklance.schema

import java.math.RoundingMode.{HALF_EVEN, UP}
import java.math.{BigDecimal, MathContext}

/** Doubles as JSON text in pylance's form: `1.5`, `100000.0`, `0.00001`, `1e-6`, `1.2e+29`. */
private object JsonNumbers {

  /** Numbers with more digits before the point have an exponent. */
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
    // Number of digits before the point; 0 or less if zeroes follow the point.
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

  /** Returns the shortest decimal that parses to `value`, and the nearest of these. `Double.toString` returns
    * more digits before Java 19, and never less than two.
    */
  private def shortest(value: Double): BigDecimal = {
    val exact = new BigDecimal(value)
    val printed = new BigDecimal(value.toString).stripTrailingZeros
    // Below a power of two doubles are denser than above it, so the nearest digits may belong to another
    // double.
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
