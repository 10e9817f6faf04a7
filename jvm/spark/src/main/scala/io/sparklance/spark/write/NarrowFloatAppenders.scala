package io.sparklance.spark.write

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters

import io.sparklance.data.{Fixed16Block, NullMask}

/** Appends floats as 16 bits, rounded to the nearest. Refuses finite values that would become infinite. */
abstract private class NarrowFloatAppender(name: String, block: Fixed16Block, nulls: NullMask)
    extends FixedAppender(block, nulls) {
  final protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val value = row.getFloat(ordinal)
    val bits = narrow(java.lang.Float.floatToRawIntBits(value))
    if ((bits & infinity) == infinity && !value.isNaN && !value.isInfinite)
      throw Fitting.misfit(name, value.toString, s"floats of 16 bits")
    block.append(bits.toShort)
  }

  /** Exponent bits; only infinities and NaNs have all of them set. */
  protected def infinity: Int
  protected def narrow(bits: Int): Int
}

/** A sign, 5 bits of exponent, 10 of fraction. */
final private class HalfFloatAppender(name: String, block: Fixed16Block, nulls: NullMask)
    extends NarrowFloatAppender(name, block, nulls) {
  protected def infinity: Int = 0x7c00
  protected def narrow(bits: Int): Int = {
    val sign = bits >>> 16 & 0x8000
    val magnitude = bits & 0x7fffffff
    if (magnitude > 0x7f800000) sign | 0x7c00 | math.max(1, magnitude >>> 13 & 0x3ff)
    else if (magnitude >= 0x47800000) sign | 0x7c00
    else if (magnitude < 0x38800000)
      // Below 2^-14 halves are multiples of 2^-24.
      sign | Math.rint(java.lang.Float.intBitsToFloat(magnitude) * 16777216.0).toInt
    else sign | magnitude - 0x38000000 + 0xfff + (magnitude >>> 13 & 1) >>> 13
  }
}

/** The upper half of a float. */
final private class BFloat16Appender(name: String, block: Fixed16Block, nulls: NullMask)
    extends NarrowFloatAppender(name, block, nulls) {
  protected def infinity: Int = 0x7f80
  protected def narrow(bits: Int): Int =
    if ((bits & 0x7fffffff) > 0x7f800000) bits >>> 16 | (if ((bits & 0x7f0000) == 0) 1 else 0)
    else bits + 0x7fff + (bits >>> 16 & 1) >>> 16
}
