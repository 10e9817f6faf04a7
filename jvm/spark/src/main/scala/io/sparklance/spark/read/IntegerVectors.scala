package io.sparklance.spark.read

import java.util.Arrays

import org.apache.spark.sql.types._

import io.sparklance.data.{DataBlock, Fixed16Block, Fixed32Block, Fixed64Block, Fixed8Block}
import io.sparklance.spark.types.ShownTypes

final private[sparklance] class BooleanVector extends LanceColumnVector(BooleanType) with RowValues {
  private var values: Array[Byte] = _
  protected def look(block: DataBlock): Unit = values = block.asInstanceOf[Fixed8Block].values
  def write(chunk: RowChunk, column: Int): Unit = chunk.putBooleans(column, values, nullFlags)
  override def getBoolean(row: Int): Boolean = values(row) != 0
}

final private[sparklance] class Int8Vector extends LanceColumnVector(ByteType) with RowValues {
  private var values: Array[Byte] = _
  protected def look(block: DataBlock): Unit = values = block.asInstanceOf[Fixed8Block].values
  def write(chunk: RowChunk, column: Int): Unit = chunk.putBytes(column, values, nullFlags)
  override def getByte(row: Int): Byte = values(row)
}

final private[sparklance] class UInt8Vector extends LanceColumnVector(ShortType) with RowValues {
  private var values: Array[Byte] = _
  protected def look(block: DataBlock): Unit = values = block.asInstanceOf[Fixed8Block].values
  def write(chunk: RowChunk, column: Int): Unit = chunk.putBytes(column, values, nullFlags)
  override def getShort(row: Int): Short = (values(row) & 0xff).toShort
}

final private[sparklance] class Int16Vector extends LanceColumnVector(ShortType) with RowValues {
  private var values: Array[Short] = _
  protected def look(block: DataBlock): Unit = values = block.asInstanceOf[Fixed16Block].values
  def write(chunk: RowChunk, column: Int): Unit = chunk.putShorts(column, values, nullFlags)
  override def getShort(row: Int): Short = values(row)
}

final private[sparklance] class UInt16Vector extends LanceColumnVector(IntegerType) with RowValues {
  private var values: Array[Short] = _
  protected def look(block: DataBlock): Unit = values = block.asInstanceOf[Fixed16Block].values
  def write(chunk: RowChunk, column: Int): Unit = chunk.putShorts(column, values, nullFlags)
  override def getInt(row: Int): Int = values(row) & 0xffff
}

/** 32-bit integers, and dates, which are days since 1970 both in Lance and in Spark. */
final private[sparklance] class Int32Vector(dataType: DataType) extends LanceColumnVector(dataType)
    with RowValues {
  private var values: Array[Int] = _
  protected def look(block: DataBlock): Unit = values = block.asInstanceOf[Fixed32Block].values
  def write(chunk: RowChunk, column: Int): Unit = chunk.putInts(column, values, nullFlags)
  override def getInt(row: Int): Int = values(row)
  override def getInts(row: Int, count: Int): Array[Int] = Arrays.copyOfRange(values, row, row + count)
}

final private[sparklance] class UInt32Vector extends LanceColumnVector(LongType) with RowValues {
  private var values: Array[Int] = _
  protected def look(block: DataBlock): Unit = values = block.asInstanceOf[Fixed32Block].values
  def write(chunk: RowChunk, column: Int): Unit = chunk.putInts(column, values, nullFlags)
  override def getLong(row: Int): Long = values(row) & 0xffffffffL
}

/** 64-bit integers, and timestamps in microseconds. */
final private[sparklance] class Int64Vector(dataType: DataType) extends LanceColumnVector(dataType)
    with RowValues {
  private var values: Array[Long] = _
  protected def look(block: DataBlock): Unit = values = block.asInstanceOf[Fixed64Block].values
  def write(chunk: RowChunk, column: Int): Unit = chunk.putLongs(column, values, nullFlags)
  override def getLong(row: Int): Long = values(row)
  override def getLongs(row: Int, count: Int): Array[Long] = Arrays.copyOfRange(values, row, row + count)
}

final private[sparklance] class UInt64Vector extends LanceColumnVector(ShownTypes.UInt64) {
  private var values: Array[Long] = _
  protected def look(block: DataBlock): Unit = values = block.asInstanceOf[Fixed64Block].values
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    if (isNullAt(row)) null
    else {
      val value = values(row)
      if (value >= 0) Decimal(value, precision, scale)
      else Decimal(BigDecimal(java.lang.Long.toUnsignedString(value)), precision, scale)
    }
}
