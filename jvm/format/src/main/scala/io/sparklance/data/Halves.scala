package io.sparklance.data

/** Floats of 16 bits: a sign, 5 bits of exponent, 10 of fraction. */
private[sparklance] object Halves {

  /** Smallest number that rounds to infinity. */
  final val Infinite = 65520.0

  def number(bits: Int): Double = {
    val fraction = bits & 0x3ff
    val magnitude = bits >>> 10 & 0x1f match {
      case 0 => Math.scalb(fraction.toDouble, -24)
      case 31 => if (fraction == 0) Double.PositiveInfinity else Double.NaN
      case exponent => Math.scalb((fraction + 1024).toDouble, exponent - 25)
    }
    if ((bits & 0x8000) != 0) -magnitude else magnitude
  }

  def bits(number: Double): Int = {
    val sign = (java.lang.Double.doubleToRawLongBits(number) >>> 48).toInt & 0x8000
    val magnitude = math.abs(number)
    if (number.isNaN) sign | 0x7e00
    else if (magnitude >= Infinite) sign | 0x7c00
    else {
      // Below 2^-14 halves are multiples of 2^-24; a fraction that rounds up to 2048 carries into the
      // exponent.
      val exponent = math.max(-14, Math.getExponent(magnitude))
      val fraction = Math.rint(Math.scalb(magnitude, 10 - exponent)).toInt
      sign | (exponent + 14 << 10) + fraction
    }
  }
}
