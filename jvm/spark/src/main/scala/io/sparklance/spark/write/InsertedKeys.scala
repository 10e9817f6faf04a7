package io.sparklance.spark.write

import org.apache.spark.sql.catalyst.InternalRow

import io.sparklance.dataset.write.KeyFilter
import io.sparklance.schema.{Field, LogicalType}

/** Kinds of values in keys. */
sealed private[spark] trait KeyValue

private[spark] object KeyValue {
  case object Text extends KeyValue
  case object Bytes extends KeyValue
  case object Int extends KeyValue
  case object Long extends KeyValue

  /** Unsigned numbers of 64 bits, which Spark holds as DECIMAL(20, 0). */
  case object Unsigned extends KeyValue

  /** Unsigned numbers of 32 bits, which Spark holds as BIGINT, have their values' bytes, too. */
  def of(field: Field): Option[KeyValue] = field.logicalType match {
    case LogicalType.Utf8(_) => Some(Text)
    case LogicalType.Binary(_) => Some(Bytes)
    case LogicalType.Integer(32, true) => Some(Int)
    case LogicalType.Integer(64, true) | LogicalType.Integer(32, false) => Some(Long)
    case LogicalType.Integer(64, false) => Some(Unsigned)
    case _ => None
  }
}

/** Collects the keys of the rows that a task inserts. */
final private[spark] class InsertedKeys(spec: KeySpec) {
  private val filter = new KeyFilter
  private val columns = spec.columns.toArray

  def add(row: InternalRow): Unit =
    if (!columns.exists { case (ordinal, _) => row.isNullAt(ordinal) })
      filter.add(columns.map { case (ordinal, kind) => bytes(row, ordinal, kind) })

  private def bytes(row: InternalRow, ordinal: Int, kind: KeyValue): Array[Byte] = kind match {
    case KeyValue.Text => row.getUTF8String(ordinal).getBytes
    case KeyValue.Bytes => row.getBinary(ordinal)
    case KeyValue.Int => KeyFilter.bytes(row.getInt(ordinal).toLong)
    case KeyValue.Long => KeyFilter.bytes(row.getLong(ordinal))
    case KeyValue.Unsigned =>
      KeyFilter.bytes(row.getDecimal(ordinal, 20, 0).toJavaBigDecimal.toBigInteger.longValue)
  }

  def bitmap: Array[Byte] = filter.bitmap
}
