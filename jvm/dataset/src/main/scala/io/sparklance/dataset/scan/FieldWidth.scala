package io.sparklance.dataset.scan

import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{Field, LogicalType}

/** Typical size of a type's values, to estimate each column's share of a file. */
private[dataset] object FieldWidth {
  final val Unknown = 8.0
  final private val Text = 24.0

  /** Bytes of a value of the field itself; its children count for themselves, unless they are in one column
    * with it.
    */
  def of(field: Field): Double =
    if (field.isPacked) field.children.map(of).sum else of(field.logicalType)

  private def of(logicalType: LogicalType): Double = logicalType match {
    case Null | Struct | LogicalType.Map => 0.125
    case Bool => 0.125
    case Integer(bits, _) => bits / 8.0
    case FloatingPoint(bits) => bits / 8.0
    case Decimal(bits, _, _) => bits / 8.0
    case BFloat16 => 2
    case Date32 => 4
    case Date64 | Time(_) | Timestamp(_, _) | Duration(_) => 8
    case FixedSizeBinary(bytes) => math.max(0.125, bytes.toDouble)
    case FixedSizeList(item, size) => of(item) * size
    case LogicalType.List(_, _) => 1
    case Dictionary(_, index) => of(index)
    case Utf8(_) | Binary(_) | Json | Blob | LogicalType.Unknown(_) => Text
  }
}
