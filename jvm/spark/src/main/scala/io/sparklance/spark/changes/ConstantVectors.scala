package io.sparklance.spark.changes

import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.sparklance.data.DataBlock
import io.sparklance.spark.read.LanceColumnVector

/** Shows the same text in every row. */
final private[changes] class ConstantText(text: String) extends LanceColumnVector(StringType) {
  private val value = UTF8String.fromString(text)
  override protected def look(values: DataBlock): Unit = ()
  override def getUTF8String(row: Int): UTF8String = value
}

/** Shows the same number in every row. */
final private[changes] class ConstantNumber(kind: DataType, value: Long) extends LanceColumnVector(kind) {
  override protected def look(values: DataBlock): Unit = ()
  override def getLong(row: Int): Long = value
}
