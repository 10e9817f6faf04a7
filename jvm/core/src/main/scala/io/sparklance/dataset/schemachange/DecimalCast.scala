package io.sparklance.dataset.schemachange

import java.math.{BigDecimal, BigInteger}
import java.util.Arrays

import io.sparklance.data.{Column, DataBlock, FixedBytesBlock}

/** Casts decimals, which are little-endian integers of 16 or 32 bytes. */
final private[schemachange] class DecimalCast(fromScale: Int, toScale: Int, toPrecision: Int)
    extends ValueCast {
  private val bound = BigInteger.TEN.pow(toPrecision)

  override def append(
      source: Column,
      from: Int,
      until: Int,
      target: DataBlock,
      lossy: LossyValueHandler
  ): Unit = (source.values, target) match {
    case (s: FixedBytesBlock, t: FixedBytesBlock) =>
      val at = t.extend(until - from)
      var i = from
      while (i < until) {
        val number = if (source.nulls.isNull(i)) BigInteger.ZERO else scaled(unscaled(s, i), i, lossy)
        put(number, t.bytes, (at + i - from) * t.width, t.width)
        i += 1
      }
    case _ =>
      throw new IllegalArgumentException(s"decimals in a ${source.values.getClass} for a ${target.getClass}")
  }

  private def scaled(number: BigInteger, at: Int, lossy: LossyValueHandler): BigInteger = {
    val power = BigInteger.TEN.pow(math.abs(toScale - fromScale))
    val (now, rest) =
      if (toScale >= fromScale) (number.multiply(power), BigInteger.ZERO)
      else { val parts = number.divideAndRemainder(power); (parts(0), parts(1)) }
    if (rest.signum != 0 || now.abs.compareTo(bound) >= 0) {
      lossy.found(new BigDecimal(number, fromScale).toPlainString, at)
      BigInteger.ZERO
    } else now
  }

  private def unscaled(block: FixedBytesBlock, i: Int): BigInteger = {
    val bytes = new Array[Byte](block.width)
    var b = 0
    while (b < block.width) { bytes(block.width - 1 - b) = block.bytes(i * block.width + b); b += 1 }
    new BigInteger(bytes)
  }

  private def put(number: BigInteger, into: Array[Byte], at: Int, width: Int): Unit = {
    val bytes = number.toByteArray
    Arrays.fill(into, at, at + width, if (number.signum < 0) -1.toByte else 0.toByte)
    var b = 0
    while (b < bytes.length) { into(at + b) = bytes(bytes.length - 1 - b); b += 1 }
  }
}
