package io.sparklance.spark.write

import java.math.BigInteger

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.unsafe.Platform

import io.sparklance.LanceUsageException
import io.sparklance.data.{
  Column,
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBlock,
  FixedBytesBlock,
  FixedSizeListBlock,
  LittleEndian,
  NullMask,
  VariableBlock
}
import io.sparklance.schema.{Field, LogicalType, TimeUnit}

/** Appends one field of Spark's rows, or of its arrays, to a column. Chosen once for each column. */
sealed abstract private[write] class ValueAppender(nulls: NullMask) {

  final def append(row: SpecializedGetters, ordinal: Int): Unit =
    if (row.isNullAt(ordinal)) {
      appendSlots(1)
      nulls.appendNull(1)
    } else {
      appendValue(row, ordinal)
      nulls.appendValid(1)
    }

  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit

  /** Slots with any content, below nulls. */
  def appendSlots(n: Int): Unit
}

sealed abstract private class FixedAppender(block: FixedBlock, nulls: NullMask) extends ValueAppender(nulls) {
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

sealed abstract private class VariableAppender(block: VariableBlock, nulls: NullMask)
    extends ValueAppender(nulls) {
  final def appendSlots(n: Int): Unit = {
    var i = 0
    while (i < n) { block.append(Array.emptyByteArray, 0, 0); i += 1 }
  }
}

final private class StringAppender(block: VariableBlock, nulls: NullMask)
    extends VariableAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val text = row.getUTF8String(ordinal)
    val size = text.numBytes
    block.reserve(1, size)
    val at = block.byteLength
    text.writeToMemory(block.bytes, Platform.BYTE_ARRAY_OFFSET + at.toLong)
    block.offsets(block.length + 1) = at + size
    block.advance(1)
  }
}

final private class BinaryAppender(block: VariableBlock, nulls: NullMask)
    extends VariableAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val bytes = row.getBinary(ordinal)
    block.append(bytes, 0, bytes.length)
  }
}

final private class FixedSizeListAppender(
    name: String,
    block: FixedSizeListBlock,
    nulls: NullMask,
    items: ValueAppender
) extends ValueAppender(nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val list = row.getArray(ordinal)
    if (list.numElements() != block.dimension)
      throw Fitting.misfit(name, s"an array of ${list.numElements()}", s"a list of ${block.dimension} items")
    var i = 0
    while (i < block.dimension) { items.append(list, i); i += 1 }
    block.advance(1)
  }

  def appendSlots(n: Int): Unit = {
    items.appendSlots(n * block.dimension)
    block.advance(n)
  }
}

private object Fitting {
  def unsigned(name: String, value: Long, bits: Int): Long =
    if (value >= 0 && value >>> bits == 0) value else throw misfit(name, value.toString, s"uint$bits")

  def misfit(name: String, value: String, wanted: String): LanceUsageException = new LanceUsageException(
    s"Column '$name' holds $wanted, but a row to be written has $value. Correct or filter such rows before writing."
  )
}

/** Chooses the appenders for a table's columns. */
private[write] object RowToBlocks {

  def appender(field: Field, column: Column): ValueAppender =
    of(field.name, field.logicalType, column.values, column.nulls)

  private def of(name: String, lance: LogicalType, block: DataBlock, nulls: NullMask): ValueAppender =
    (lance, block) match {
      case (LogicalType.Bool, b: Fixed8Block) => new BooleanAppender(b, nulls)
      case (LogicalType.Integer(_, true), b: Fixed8Block) => new ByteAppender(b, nulls)
      case (LogicalType.Integer(_, true), b: Fixed16Block) => new ShortAppender(b, nulls)
      case (LogicalType.Integer(_, true), b: Fixed32Block) => new IntAppender(b, nulls)
      case (LogicalType.Integer(_, true), b: Fixed64Block) => new LongAppender(b, nulls)
      case (LogicalType.Integer(_, false), b: Fixed8Block) => new UInt8Appender(name, b, nulls)
      case (LogicalType.Integer(_, false), b: Fixed16Block) => new UInt16Appender(name, b, nulls)
      case (LogicalType.Integer(_, false), b: Fixed32Block) => new UInt32Appender(name, b, nulls)
      case (LogicalType.Integer(_, false), b: Fixed64Block) => new UInt64Appender(name, b, nulls)
      case (LogicalType.FloatingPoint(_), b: Fixed32Block) => new FloatAppender(b, nulls)
      case (LogicalType.FloatingPoint(_), b: Fixed64Block) => new DoubleAppender(b, nulls)
      case (LogicalType.Date32, b: Fixed32Block) => new IntAppender(b, nulls)
      case (LogicalType.Timestamp(unit, _), b: Fixed64Block) => timestamp(name, unit, b, nulls)
      case (LogicalType.Decimal(_, p, s), b: FixedBytesBlock) => new DecimalAppender(p, s, b, nulls)
      case (LogicalType.Utf8(_), b: VariableBlock) => new StringAppender(b, nulls)
      case (LogicalType.Binary(_), b: VariableBlock) => new BinaryAppender(b, nulls)
      case (LogicalType.FixedSizeList(item, _), b: FixedSizeListBlock) =>
        new FixedSizeListAppender(name, b, nulls, of(s"$name.item", item, b.items, b.itemNulls))
      case _ =>
        throw new IllegalStateException(s"column '$name' of type $lance is not written to ${block.getClass}")
    }

  private def timestamp(name: String, unit: TimeUnit, block: Fixed64Block, nulls: NullMask): ValueAppender =
    unit match {
      case TimeUnit.Second => new CoarseTimestampAppender(name, 1000000L, block, nulls)
      case TimeUnit.Millisecond => new CoarseTimestampAppender(name, 1000L, block, nulls)
      case TimeUnit.Microsecond | TimeUnit.Nanosecond => new LongAppender(block, nulls)
    }
}
