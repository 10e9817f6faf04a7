package io.sparklance.spark.read

import org.apache.spark.sql.types.FloatType

import io.sparklance.data.{DataBlock, Fixed16Block}

/** Floats of 16 bits, each of which is a float of 32 as well, NaNs with their payload. */
sealed abstract private[sparklance] class ShortFloatVector extends LanceColumnVector(FloatType) {
  private var bits: Array[Short] = _
  final protected def look(block: DataBlock): Unit = bits = block.asInstanceOf[Fixed16Block].values
  final override def getFloat(row: Int): Float = widen(bits(row) & 0xffff)
  protected def widen(bits: Int): Float
}

/** A sign, 5 bits of exponent, 10 of fraction. */
final private[sparklance] class HalfFloatVector extends ShortFloatVector {
  protected def widen(bits: Int): Float = {
    val sign = (bits & 0x8000) << 16
    val fraction = bits & 0x3ff
    bits >>> 10 & 0x1f match {
      case 0 =>
        val magnitude = fraction / 16777216f // 2^24, in which the smallest halves are counted
        java.lang.Float.intBitsToFloat(sign | java.lang.Float.floatToRawIntBits(magnitude))
      case 31 => java.lang.Float.intBitsToFloat(sign | 0x7f800000 | fraction << 13)
      case exponent => java.lang.Float.intBitsToFloat(sign | exponent + 112 << 23 | fraction << 13)
    }
  }
}

/** The upper half of a float. */
final private[sparklance] class BFloat16Vector extends ShortFloatVector {
  protected def widen(bits: Int): Float = java.lang.Float.intBitsToFloat(bits << 16)
}
