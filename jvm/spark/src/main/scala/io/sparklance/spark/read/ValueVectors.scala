package io.sparklance.spark.read

import java.math.BigInteger
import java.util.Arrays

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray}
import org.apache.spark.unsafe.types.UTF8String

import io.sparklance.data.{
  DataBlock,
  Fixed32Block,
  Fixed64Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  LittleEndian,
  VariableBlock
}

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
