package io.sparklance.spark.write

import java.math.{BigDecimal, BigInteger, RoundingMode}

import org.apache.spark.sql.catalyst.expressions.{SpecializedGetters, UnsafeRow}
import org.apache.spark.sql.types.Decimal

import io.sparklance.LanceUsageException
import io.sparklance.data.{
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBlock,
  FixedBytesBlock,
  LittleEndian,
  NullMask
}
import io.sparklance.schema.LogicalType
import io.sparklance.spark.types.ShownTypes

abstract private class FixedAppender(block: FixedBlock, nulls: NullMask) extends ValueAppender(nulls) {
  final def appendSlots(n: Int): Unit = { val _ = block.extend(n) }
}

/** Appends values that rows and blocks represent alike. */
abstract private class WordAppender(block: FixedBlock, nulls: NullMask) extends FixedAppender(block, nulls) {
  final override def appendAll(rows: RowBuffer, ordinal: Int): Unit = {
    rows.appendWords(ordinal, block)
    rows.appendNulls(ordinal, nulls)
  }
}

final private class BooleanAppender(block: Fixed8Block, nulls: NullMask) extends WordAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit =
    block.append(if (row.getBoolean(ordinal)) 1 else 0)
}

final private class ByteAppender(block: Fixed8Block, nulls: NullMask) extends WordAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = block.append(row.getByte(ordinal))
}

final private class ShortAppender(block: Fixed16Block, nulls: NullMask) extends WordAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = block.append(row.getShort(ordinal))
}

final private class IntAppender(block: Fixed32Block, nulls: NullMask) extends WordAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = block.append(row.getInt(ordinal))
}

final private class LongAppender(block: Fixed64Block, nulls: NullMask) extends WordAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = block.append(row.getLong(ordinal))
}

final private class FloatAppender(block: Fixed32Block, nulls: NullMask) extends WordAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit =
    block.append(java.lang.Float.floatToRawIntBits(row.getFloat(ordinal)))
}

final private class DoubleAppender(block: Fixed64Block, nulls: NullMask) extends WordAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit =
    block.append(java.lang.Double.doubleToRawLongBits(row.getDouble(ordinal)))
}

final private class UInt8Appender(name: String, block: Fixed8Block, nulls: NullMask)
    extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit =
    block.append(Fitting.unsigned(name, row.getShort(ordinal), 8).toByte)
}

final private class UInt16Appender(name: String, block: Fixed16Block, nulls: NullMask)
    extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit =
    block.append(Fitting.unsigned(name, row.getInt(ordinal), 16).toShort)
}

final private class UInt32Appender(name: String, block: Fixed32Block, nulls: NullMask)
    extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit =
    block.append(Fitting.unsigned(name, row.getLong(ordinal), 32).toInt)
}

final private class UInt64Appender(name: String, block: Fixed64Block, nulls: NullMask)
    extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val value = row.getDecimal(ordinal, 20, 0).toJavaBigDecimal.toBigIntegerExact
    if (value.signum < 0 || value.bitLength > 64) throw Fitting.misfit(name, value.toString, "uint64")
    block.append(value.longValue)
  }
}

/** Appends decimals of any width and scale. Refuses digits beyond the scale. */
final private class AnyDecimalAppender(
    name: String,
    stored: LogicalType.Decimal,
    block: FixedBytesBlock,
    nulls: NullMask
) extends FixedAppender(block, nulls) {
  private val shown = ShownTypes.decimalType(stored)

  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val value = row.getDecimal(ordinal, shown.precision, shown.scale).toJavaBigDecimal
    val unscaled = rescaled(value)
    val at = block.width * block.extend(1)
    var i = 0
    while (i < block.width) {
      LittleEndian.putLong(block.bytes, at + i, unscaled.shiftRight(8 * i).longValue)
      i += 8
    }
  }

  private def rescaled(value: BigDecimal): BigInteger = {
    val exact =
      try value.setScale(stored.scale, RoundingMode.UNNECESSARY)
      catch { case _: ArithmeticException => throw misfit(value) }
    if (exact.precision > stored.precision) throw misfit(value)
    exact.unscaledValue
  }

  private def misfit(value: BigDecimal): LanceUsageException =
    Fitting.misfit(
      name,
      value.toPlainString,
      s"decimals of ${stored.precision} digits and scale ${stored.scale}"
    )
}

final private class DecimalAppender(precision: Int, scale: Int, block: FixedBytesBlock, nulls: NullMask)
    extends FixedAppender(block, nulls) {

  override def appendAll(rows: RowBuffer, ordinal: Int): Unit =
    if (precision > Decimal.MAX_LONG_DIGITS) super.appendAll(rows, ordinal)
    else {
      val at = 16 * block.extend(rows.length)
      var i = 0
      while (i < rows.length) {
        put(at + 16 * i, rows.word(i, ordinal))
        i += 1
      }
      rows.appendNulls(ordinal, nulls)
    }

  private def put(at: Int, unscaled: Long): Unit = {
    LittleEndian.putLong(block.bytes, at, unscaled)
    LittleEndian.putLong(block.bytes, at + 8, unscaled >> 63)
  }

  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val at = 16 * block.extend(1)
    if (precision <= Decimal.MAX_LONG_DIGITS) {
      // Rows of bytes hold the number in this form; their accessor would create an object.
      val unscaled = row match {
        case bytes: UnsafeRow => bytes.getLong(ordinal)
        case _ => row.getDecimal(ordinal, precision, scale).toUnscaledLong
      }
      put(at, unscaled)
    } else {
      val unscaled: BigInteger = row.getDecimal(ordinal, precision, scale).toJavaBigDecimal.unscaledValue
      LittleEndian.putLong(block.bytes, at, unscaled.longValue)
      LittleEndian.putLong(block.bytes, at + 8, unscaled.shiftRight(64).longValue)
    }
  }
}

/** Appends fixed-length byte strings. */
final private class FixedBinaryAppender(name: String, width: Int, block: FixedBlock, nulls: NullMask)
    extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val bytes = row.getBinary(ordinal)
    if (bytes.length != width)
      throw Fitting.misfit(name, s"one of ${bytes.length} bytes", s"byte strings of $width")
    val at = block.extend(1)
    block match {
      case b: Fixed8Block => b.values(at) = bytes(0)
      case b: Fixed16Block => b.values(at) = LittleEndian.short(bytes, 0)
      case b: Fixed32Block => b.values(at) = LittleEndian.int(bytes, 0)
      case b: Fixed64Block => b.values(at) = LittleEndian.long(bytes, 0)
      case b: FixedBytesBlock => System.arraycopy(bytes, 0, b.bytes, at * width, width)
    }
  }
}

/** Appends nulls to a column of type VOID. */
final private class NullAppender(name: String, block: FixedBlock, nulls: NullMask)
    extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit =
    throw Fitting.misfit(name, "a value", "nulls only")
}

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
