package io.sparklance.spark.read

import org.apache.spark.sql.types.FloatType

import io.sparklance.data.{DataBlock, Fixed16Block}

/** 16-bit floats. Each is exactly representable as a 32-bit float, including NaNs with their payload. */
sealed abstract private[sparklance] class ShortFloatVector extends LanceColumnVector(FloatType) {
  private var bits: Array[Short] = _
  final protected def look(block: DataBlock): Unit = bits = block.asInstanceOf[Fixed16Block].values
  final override def getFloat(row: Int): Float = widen(bits(row) & 0xffff)
  protected def widen(bits: Int): Float
}

/** IEEE halves: a sign, 5 bits of exponent, 10 of fraction. */
final private[sparklance] class HalfFloatVector extends ShortFloatVector {
  protected def widen(bits: Int): Float = {
    val sign = (bits & 0x8000) << 16
    val fraction = bits & 0x3ff
    bits >>> 10 & 0x1f match {
      case 0 =>
        val magnitude = fraction / 16777216f // 2^24: the smallest halves are multiples of 2^-24
        java.lang.Float.intBitsToFloat(sign | java.lang.Float.floatToRawIntBits(magnitude))
      case 31 => java.lang.Float.intBitsToFloat(sign | 0x7f800000 | fraction << 13)
      case exponent => java.lang.Float.intBitsToFloat(sign | exponent + 112 << 23 | fraction << 13)
    }
  }
}

/** BFloat16: the upper half of a 32-bit float. */
final private[sparklance] class BFloat16Vector extends ShortFloatVector {
  protected def widen(bits: Int): Float = java.lang.Float.intBitsToFloat(bits << 16)
}
