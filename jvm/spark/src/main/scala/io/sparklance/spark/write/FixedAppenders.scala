package io.sparklance.spark.write

import java.math.BigInteger

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters

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

abstract private class FixedAppender(block: FixedBlock, nulls: NullMask) extends ValueAppender(nulls) {
  final def appendSlots(n: Int): Unit = { val _ = block.extend(n) }
}

final private class BooleanAppender(block: Fixed8Block, nulls: NullMask) extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit =
    block.append(if (row.getBoolean(ordinal)) 1 else 0)
}

final private class ByteAppender(block: Fixed8Block, nulls: NullMask) extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = block.append(row.getByte(ordinal))
}

final private class ShortAppender(block: Fixed16Block, nulls: NullMask) extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = block.append(row.getShort(ordinal))
}

final private class IntAppender(block: Fixed32Block, nulls: NullMask) extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = block.append(row.getInt(ordinal))
}

final private class LongAppender(block: Fixed64Block, nulls: NullMask) extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = block.append(row.getLong(ordinal))
}

final private class FloatAppender(block: Fixed32Block, nulls: NullMask) extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit =
    block.append(java.lang.Float.floatToRawIntBits(row.getFloat(ordinal)))
}

final private class DoubleAppender(block: Fixed64Block, nulls: NullMask) extends FixedAppender(block, nulls) {
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

/** Spark's microseconds in coarser units; what would be lost by that is refused. */
final private class CoarseTimestampAppender(
    name: String,
    microsPerUnit: Long,
    block: Fixed64Block,
    nulls: NullMask
) extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val micros = row.getLong(ordinal)
    if (Math.floorMod(micros, microsPerUnit) != 0)
      throw Fitting.misfit(
        name,
        s"a time $micros µs after 1970",
        s"a timestamp in units of $microsPerUnit µs"
      )
    block.append(micros / microsPerUnit)
  }
}

final private class DecimalAppender(precision: Int, scale: Int, block: FixedBytesBlock, nulls: NullMask)
    extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val value = row.getDecimal(ordinal, precision, scale)
    val at = 16 * block.extend(1)
    if (precision <= 18) {
      val unscaled = value.toUnscaledLong
      LittleEndian.putLong(block.bytes, at, unscaled)
      LittleEndian.putLong(block.bytes, at + 8, unscaled >> 63)
    } else {
      val unscaled: BigInteger = value.toJavaBigDecimal.unscaledValue
      LittleEndian.putLong(block.bytes, at, unscaled.longValue)
      LittleEndian.putLong(block.bytes, at + 8, unscaled.shiftRight(64).longValue)
    }
  }
}
