package io.sparklance.spark.read

import java.math.{BigDecimal => JBigDecimal, BigInteger, RoundingMode}
import java.util.Arrays

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray}
import org.apache.spark.unsafe.types.UTF8String

import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  LittleEndian,
  NestedBlock,
  VariableBlock
}
import io.sparklance.schema.JsonbText

final private[sparklance] class FloatVector extends LanceColumnVector(FloatType) with RowValues {
  private var bits: Array[Int] = _
  protected def look(block: DataBlock): Unit = bits = block.asInstanceOf[Fixed32Block].values
  def write(chunk: RowChunk, column: Int): Unit = chunk.putInts(column, bits, nullFlags)
  override def getFloat(row: Int): Float = java.lang.Float.intBitsToFloat(bits(row))
  override def getFloats(row: Int, count: Int): Array[Float] = {
    val out = new Array[Float](count)
    var i = 0
    while (i < count) { out(i) = java.lang.Float.intBitsToFloat(bits(row + i)); i += 1 }
    out
  }
}

final private[sparklance] class DoubleVector extends LanceColumnVector(DoubleType) with RowValues {
  private var bits: Array[Long] = _
  protected def look(block: DataBlock): Unit = bits = block.asInstanceOf[Fixed64Block].values
  def write(chunk: RowChunk, column: Int): Unit = chunk.putLongs(column, bits, nullFlags)
  override def getDouble(row: Int): Double = java.lang.Double.longBitsToDouble(bits(row))
  override def getDoubles(row: Int, count: Int): Array[Double] = {
    val out = new Array[Double](count)
    var i = 0
    while (i < count) { out(i) = java.lang.Double.longBitsToDouble(bits(row + i)); i += 1 }
    out
  }
}

/** Decimals of up to 18 digits: of their 16 bytes, the lower eight hold the whole value. */
final private[sparklance] class CompactDecimalVector(dataType: DecimalType)
    extends LanceColumnVector(dataType) with RowValues {
  private var bytes: Array[Byte] = _
  protected def look(block: DataBlock): Unit = bytes = block.asInstanceOf[FixedBytesBlock].bytes
  def write(chunk: RowChunk, column: Int): Unit = chunk.putDecimals(column, bytes, nullFlags)
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    if (isNullAt(row)) null else Decimal.createUnsafe(LittleEndian.long(bytes, 16 * row), precision, scale)
}

/** Decimals of up to 38 digits: two's complement in 16 bytes, little-endian. */
final private[sparklance] class WideDecimalVector(dataType: DecimalType) extends LanceColumnVector(dataType)
    with RowValues {
  private var bytes: Array[Byte] = _
  protected def look(block: DataBlock): Unit = bytes = block.asInstanceOf[FixedBytesBlock].bytes
  override def measure(chunk: RowChunk): Unit = chunk.addEach(RowChunk.WideDecimalBytes)
  def write(chunk: RowChunk, column: Int): Unit =
    chunk.putWideDecimals(column, row => getDecimal(row, dataType.precision, dataType.scale))
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    if (isNullAt(row)) null
    else {
      val bigEndian = new Array[Byte](16)
      var i = 0
      while (i < 16) { bigEndian(i) = bytes(16 * row + 15 - i); i += 1 }
      Decimal(new java.math.BigDecimal(new BigInteger(bigEndian), scale), precision, scale)
    }
}

final private[sparklance] class StringVector extends LanceColumnVector(StringType) with RowValues {
  private var bytes: Array[Byte] = _
  private var offsets: Array[Int] = _
  protected def look(block: DataBlock): Unit = {
    val values = block.asInstanceOf[VariableBlock]
    bytes = values.bytes
    offsets = values.offsets
  }
  override def measure(chunk: RowChunk): Unit = chunk.addLengths(offsets, nullFlags)
  def write(chunk: RowChunk, column: Int): Unit = chunk.putStrings(column, bytes, offsets, nullFlags)
  override def getUTF8String(row: Int): UTF8String =
    if (isNullAt(row)) null else UTF8String.fromBytes(bytes, offsets(row), offsets(row + 1) - offsets(row))
}

final private[sparklance] class BinaryVector extends LanceColumnVector(BinaryType) with RowValues {
  private var bytes: Array[Byte] = _
  private var offsets: Array[Int] = _
  protected def look(block: DataBlock): Unit = {
    val values = block.asInstanceOf[VariableBlock]
    bytes = values.bytes
    offsets = values.offsets
  }
  override def measure(chunk: RowChunk): Unit = chunk.addLengths(offsets, nullFlags)
  def write(chunk: RowChunk, column: Int): Unit = chunk.putStrings(column, bytes, offsets, nullFlags)
  override def getBinary(row: Int): Array[Byte] =
    if (isNullAt(row)) null else Arrays.copyOfRange(bytes, offsets(row), offsets(row + 1))
}

/** Fixed-size lists, over a vector of their items. */
final private[sparklance] class FixedSizeListVector(
    dataType: ArrayType,
    dimension: Int,
    items: LanceColumnVector
) extends LanceColumnVector(dataType) {
  private var lists: FixedSizeListBlock = _
  private[read] def block: FixedSizeListBlock = lists
  protected def look(block: DataBlock): Unit = {
    lists = block.asInstanceOf[FixedSizeListBlock]
    items.show(lists.items, lists.itemNulls)
  }
  override def getArray(row: Int): ColumnarArray =
    if (isNullAt(row)) null else new ColumnarArray(items, row * dimension, dimension)
  override def getChild(ordinal: Int): ColumnVector = items
}

/** Columns of the null type. Spark only calls `isNullAt`. */
final private[sparklance] class NullVector extends LanceColumnVector(NullType) {
  protected def look(values: DataBlock): Unit = ()
}

/** JSONB, shown as JSON text. */
final private[sparklance] class JsonVector(misfit: LossyReads) extends LanceColumnVector(StringType) {
  private var block: VariableBlock = _
  protected def look(values: DataBlock): Unit = block = values.asInstanceOf[VariableBlock]

  override def getUTF8String(row: Int): UTF8String =
    if (isNullAt(row)) null
    else
      misfit.decoding(row) {
        UTF8String.fromBytes(JsonbText.of(block.bytes, block.offsets(row), block.offsets(row + 1)))
      }
}

/** Fixed-width byte strings; blocks hold widths of integers as integers. */
final private[sparklance] class FixedSizeBinaryVector extends LanceColumnVector(BinaryType) {
  private var block: DataBlock = _
  protected def look(values: DataBlock): Unit = block = values

  override def getBinary(row: Int): Array[Byte] =
    if (isNullAt(row)) null
    else
      block match {
        case b: FixedBytesBlock => Arrays.copyOfRange(b.bytes, row * b.width, (row + 1) * b.width)
        case b: Fixed8Block => Array(b.values(row))
        case b: Fixed16Block => Array(b.values(row).toByte, (b.values(row) >> 8).toByte)
        case b: Fixed32Block =>
          val out = new Array[Byte](4)
          LittleEndian.putInt(out, 0, b.values(row))
          out
        case b: Fixed64Block =>
          val out = new Array[Byte](8)
          LittleEndian.putLong(out, 0, b.values(row))
          out
        case _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
          throw new IllegalStateException(s"fixed-size binary in a ${block.getClass}")
      }
}

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

/** Decimals that Spark cannot hold unchanged: two's complement in 16 or 32 bytes, little-endian. */
sealed abstract private[sparklance] class ForeignDecimalVector(dataType: DataType, scale: Int)
    extends LanceColumnVector(dataType) {
  private var block: FixedBytesBlock = _
  final protected def look(values: DataBlock): Unit = block = values.asInstanceOf[FixedBytesBlock]

  final protected def stored(row: Int): JBigDecimal = {
    val width = block.width
    val bigEndian = new Array[Byte](width)
    var i = 0
    while (i < width) { bigEndian(i) = block.bytes(width * row + width - 1 - i); i += 1 }
    new JBigDecimal(new BigInteger(bigEndian), scale)
  }
}

/** Shows them as Spark's nearest type. */
final private[sparklance] class RescaledDecimalVector(
    dataType: DecimalType,
    scale: Int,
    misfit: LossyReads
) extends ForeignDecimalVector(dataType, scale) {

  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    if (isNullAt(row)) null
    else {
      val exact = stored(row)
      val shown = exact.setScale(dataType.scale, RoundingMode.DOWN)
      if (shown.compareTo(exact) != 0 && !misfit.truncates)
        throw misfit.tooFine(row, exact.toString, dataType.sql)
      if (shown.precision > dataType.precision) throw misfit.tooLarge(row, exact.toString, dataType.sql)
      Decimal(shown, dataType.precision, dataType.scale)
    }
}

/** Shows them as text, with all their digits. */
final private[sparklance] class DecimalTextVector(scale: Int)
    extends ForeignDecimalVector(StringType, scale) {
  override def getUTF8String(row: Int): UTF8String =
    if (isNullAt(row)) null else UTF8String.fromString(stored(row).toPlainString)
}
