package io.sparklance.spark.types

import org.apache.spark.sql.types._

import io.sparklance.schema.{Field, LogicalType, LogicalTypes, TimeUnit}

/** Spark types of Lance types. */
private[spark] object ShownTypes {

  /** Type of unsigned 64-bit integers. */
  val UInt64: DecimalType = DecimalType(20, 0)

  private val ExtensionName = "ARROW:extension:name"

  /** Resolves extensions that Arrow describes by metadata to their types, and dictionaries to the type of
    * their values.
    */
  def meaning(field: Field): LogicalType = field.logicalType match {
    case LogicalType.FixedSizeBinary(2) if field.metadata.get(ExtensionName).contains("lance.bfloat16") =>
      LogicalType.BFloat16
    case LogicalType.Dictionary(value, _) => value
    case other => other
  }

  def of(field: Field, lossy: LossyValues): Option[DataType] = of(meaning(field), lossy)

  private def of(lance: LogicalType, lossy: LossyValues): Option[DataType] = lance match {
    case LogicalType.Null => Some(NullType)
    case LogicalType.Bool => Some(BooleanType)
    case LogicalType.FixedSizeList(item, _) => of(item, lossy).map(ArrayType(_, containsNull = true))
    case LogicalType.Integer(bits, signed) => integerType(bits, signed)
    case LogicalType.FloatingPoint(64) => Some(DoubleType)
    case LogicalType.FloatingPoint(_) | LogicalType.BFloat16 => Some(FloatType)
    case LogicalType.Utf8(_) | LogicalType.Json => Some(StringType)
    case LogicalType.Binary(_) | LogicalType.FixedSizeBinary(_) => Some(BinaryType)
    case decimal: LogicalType.Decimal if mayLose(decimal) && lossy == LossyValues.Raw => Some(StringType)
    case decimal: LogicalType.Decimal => Some(decimalType(decimal))
    case LogicalType.Date32 => Some(DateType)
    case LogicalType.Time(_) => Some(LongType)
    case _: LogicalType if mayLose(lance) && lossy == LossyValues.Raw => Some(LongType)
    case LogicalType.Date64 => Some(DateType)
    case LogicalType.Timestamp(_, zone) => Some(zone.fold[DataType](TimestampNTZType)(_ => TimestampType))
    case LogicalType.Duration(_) => Some(DayTimeIntervalType())
    case LogicalType.Struct | LogicalType.List(_, _) | LogicalType.Map | LogicalType.Dictionary(_, _) |
        LogicalType.Blob | LogicalType.Unknown(_) =>
      None
  }

  /** Whether the Spark type cannot hold some values. */
  def mayLose(lance: LogicalType): Boolean = lance match {
    case LogicalType.Date64 => true
    case LogicalType.Timestamp(unit, _) => unit == TimeUnit.Nanosecond
    case LogicalType.Duration(unit) => unit == TimeUnit.Nanosecond
    case decimal: LogicalType.Decimal =>
      decimal.scale > DecimalType.MAX_SCALE || wholeDigits(decimal) + shownScale(decimal) > 38
    case LogicalType.FixedSizeList(item, _) => mayLose(item)
    case LogicalType.Null | LogicalType.Bool | LogicalType.Integer(_, _) | LogicalType.FloatingPoint(_) |
        LogicalType.BFloat16 | LogicalType.Utf8(_) | LogicalType.Binary(_) | LogicalType.FixedSizeBinary(_) |
        LogicalType.Date32 | LogicalType.Time(_) | LogicalType.Struct | LogicalType.List(_, _) |
        LogicalType.Map | LogicalType.Dictionary(_, _) | LogicalType.Json | LogicalType.Blob |
        LogicalType.Unknown(_) =>
      false
  }

  /** Whether Spark's type determines the stored one; otherwise the column's metadata records it. */
  def saysAll(lance: LogicalType): Boolean = lance match {
    case LogicalType.Bool | LogicalType.Integer(_, _) | LogicalType.Utf8(_) | LogicalType.Binary(_) |
        LogicalType.Date32 | LogicalType.Struct | LogicalType.List(_, _) | LogicalType.Map =>
      true
    case LogicalType.FloatingPoint(bits) => bits > 16
    case LogicalType.Timestamp(unit, _) => unit != TimeUnit.Nanosecond
    case decimal: LogicalType.Decimal => isPlain(decimal)
    case LogicalType.FixedSizeList(item, _) => saysAll(item)
    case LogicalType.Null | LogicalType.BFloat16 | LogicalType.FixedSizeBinary(_) | LogicalType.Date64 |
        LogicalType.Time(_) | LogicalType.Duration(_) | LogicalType.Dictionary(_, _) | LogicalType.Json |
        LogicalType.Blob | LogicalType.Unknown(_) =>
      false
  }

  /** Whether Spark can hold a decimal unchanged. */
  def isPlain(decimal: LogicalType.Decimal): Boolean =
    decimal.bits == 128 && decimal.scale >= 0 && decimal.scale <= decimal.precision

  /** Returns Spark's type: scales from 0 to 38, at most the precision. */
  def decimalType(decimal: LogicalType.Decimal): DecimalType = {
    val scale = shownScale(decimal)
    DecimalType(math.min(38, math.max(1, wholeDigits(decimal) + scale)), scale)
  }

  private def shownScale(decimal: LogicalType.Decimal): Int = math.max(0, math.min(decimal.scale, 38))

  private def wholeDigits(decimal: LogicalType.Decimal): Int = math.max(0, decimal.precision - decimal.scale)

  /** Returns Spark's integer type; unsigned integers take the next wider one. */
  private def integerType(bits: Int, signed: Boolean): Option[DataType] = (bits, signed) match {
    case (8, true) => Some(ByteType)
    case (16, true) | (8, false) => Some(ShortType)
    case (32, true) | (16, false) => Some(IntegerType)
    case (64, true) | (32, false) => Some(LongType)
    case (64, false) => Some(UInt64)
    case _ => None
  }

  /** Returns the stored type for a column's metadata. */
  def name(field: Field): String = LogicalTypes.print(field.logicalType)
}
