package io.sparklance.schema

/** The type of a field, from the string in `lance.file.Field.logical_type`. */
sealed private[sparklance] trait LogicalType

private[sparklance] object LogicalType {
  case object Null extends LogicalType
  case object Bool extends LogicalType
  final case class Integer(bits: Int, signed: Boolean) extends LogicalType
  final case class FloatingPoint(bits: Int) extends LogicalType

  /** `large` values have 64-bit offsets on disk. */
  final case class Utf8(large: Boolean) extends LogicalType
  final case class Binary(large: Boolean) extends LogicalType
  final case class FixedSizeBinary(width: Int) extends LogicalType
  final case class Decimal(bits: Int, precision: Int, scale: Int) extends LogicalType
  case object Date32 extends LogicalType
  case object Date64 extends LogicalType
  final case class Time(unit: TimeUnit) extends LogicalType
  final case class Timestamp(unit: TimeUnit, zone: Option[String]) extends LogicalType
  final case class Duration(unit: TimeUnit) extends LogicalType

  /** A list of a primitive type or of another such list; its items are always nullable and named `item`. */
  final case class FixedSizeList(item: LogicalType, size: Int) extends LogicalType
  case object BFloat16 extends LogicalType
  case object Struct extends LogicalType

  /** `ofStruct`: whether the string says that the child is a struct. */
  final case class List(large: Boolean, ofStruct: Boolean) extends LogicalType
  case object Map extends LogicalType
  final case class Dictionary(value: LogicalType, index: LogicalType) extends LogicalType
  case object Json extends LogicalType
  case object Blob extends LogicalType

  /** A type unknown to this library, by its string. */
  final case class Unknown(name: String) extends LogicalType
}
