package io.sparklance.vector

import io.sparklance.schema.LogicalType

/** The type of a vector's items. */
sealed abstract private[sparklance] class VectorItem(val name: String, val bytes: Int) extends Product
    with Serializable {

  /** Metrics that compare such vectors, the default first. */
  def metrics: Vector[Metric] = VectorItem.Numeric
}

private[sparklance] object VectorItem {
  case object Float16 extends VectorItem("halffloat", 2)
  case object BFloat16 extends VectorItem("bfloat16", 2)
  case object Float32 extends VectorItem("float", 4)
  case object Float64 extends VectorItem("double", 8)
  case object Int8 extends VectorItem("int8", 1)

  /** Eight bits of a binary vector. */
  case object UInt8 extends VectorItem("uint8", 1) {
    override def metrics: Vector[Metric] = Vector(Metric.Hamming)
  }

  private val Numeric: Vector[Metric] = Vector(Metric.L2, Metric.Cosine, Metric.Dot)

  /** Returns the items of a stored type, if vectors have such items. */
  def of(stored: LogicalType): Option[VectorItem] = stored match {
    case LogicalType.FloatingPoint(16) => Some(Float16)
    case LogicalType.FloatingPoint(32) => Some(Float32)
    case LogicalType.FloatingPoint(64) => Some(Float64)
    case LogicalType.BFloat16 => Some(BFloat16)
    case LogicalType.Integer(8, signed) => Some(if (signed) Int8 else UInt8)
    case _: LogicalType.Integer | _: LogicalType.FloatingPoint | LogicalType.Null | LogicalType.Bool |
        _: LogicalType.Utf8 | _: LogicalType.Binary | _: LogicalType.FixedSizeBinary | _: LogicalType.Decimal |
        LogicalType.Date32 | LogicalType.Date64 | _: LogicalType.Time | _: LogicalType.Timestamp |
        _: LogicalType.Duration | _: LogicalType.FixedSizeList | LogicalType.Struct | _: LogicalType.List |
        LogicalType.Map | _: LogicalType.Dictionary | LogicalType.Json | LogicalType.Blob |
        _: LogicalType.Unknown => None
  }
}
