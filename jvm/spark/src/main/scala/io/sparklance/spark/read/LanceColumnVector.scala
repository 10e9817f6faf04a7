package io.sparklance.spark.read

import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

import io.sparklance.data.{Column, DataBlock, NullMask}

/** Shows a column's block to Spark without a copy; each representation has a small class. Spark never calls
  * an accessor that does not fit the type.
  */
abstract private[sparklance] class LanceColumnVector(dataType: DataType) extends ColumnVector(dataType) {
  private var nulls: Array[Boolean] = _
  private var nullCount = 0

  /** Shows the next batch, which may have other arrays. */
  final def show(column: Column): Unit = show(column.values, column.nulls)

  final private[read] def show(values: DataBlock, mask: NullMask): Unit = {
    nulls = mask.orNull
    nullCount = mask.count
    look(values)
  }

  /** Flags of null rows, or null if no row is. */
  final protected def nullFlags: Array[Boolean] = nulls

  /** Takes over the arrays of a block of this vector's class. */
  protected def look(values: DataBlock): Unit

  final override def hasNull: Boolean = nullCount > 0
  final override def numNulls: Int = nullCount
  final override def isNullAt(row: Int): Boolean = nulls != null && nulls(row)

  override def close(): Unit = ()
  override def getBoolean(row: Int): Boolean = unfit
  override def getByte(row: Int): Byte = unfit
  override def getShort(row: Int): Short = unfit
  override def getInt(row: Int): Int = unfit
  override def getLong(row: Int): Long = unfit
  override def getFloat(row: Int): Float = unfit
  override def getDouble(row: Int): Double = unfit
  override def getArray(row: Int): ColumnarArray = unfit
  override def getMap(row: Int): ColumnarMap = unfit
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = unfit
  override def getUTF8String(row: Int): UTF8String = unfit
  override def getBinary(row: Int): Array[Byte] = unfit
  override def getChild(ordinal: Int): ColumnVector = unfit

  private def unfit: Nothing = throw new UnsupportedOperationException(s"not a value of type ${`type`}")
}
