package io.sparklance.schema

import io.sparklance.schema.LogicalType._

/** The strings of `lance.file.Field.logical_type`: one word, or a word and parameters separated by colons.
  *
  * {{{
  * int32   decimal:128:38:10   timestamp:us:+08:00   fixed_size_list:fixed_size_list:float:4:2   dict:string:int8:false
  * }}}
  *
  * A time zone may contain colons itself; `-` stands for none. The items of a fixed-size list are a type
  * string in turn.
  */
private[sparklance] object LogicalTypes {

  private val plain: Vector[(String, LogicalType)] =
    Vector[(String, LogicalType)](
      "null" -> Null,
      "bool" -> Bool,
      "halffloat" -> FloatingPoint(16),
      "float" -> FloatingPoint(32),
      "double" -> FloatingPoint(64),
      "string" -> Utf8(large = false),
      "large_string" -> Utf8(large = true),
      "binary" -> Binary(large = false),
      "large_binary" -> Binary(large = true),
      "date32:day" -> Date32,
      "date64:ms" -> Date64,
      "time32:s" -> Time(TimeUnit.Second),
      "time32:ms" -> Time(TimeUnit.Millisecond),
      "time64:us" -> Time(TimeUnit.Microsecond),
      "time64:ns" -> Time(TimeUnit.Nanosecond),
      "lance.bfloat16" -> BFloat16,
      "struct" -> Struct,
      "list" -> List(large = false, ofStruct = false),
      "list.struct" -> List(large = false, ofStruct = true),
      "large_list" -> List(large = true, ofStruct = false),
      "large_list.struct" -> List(large = true, ofStruct = true),
      "map" -> Map,
      "json" -> Json,
      "blob" -> Blob
    ) ++
      (for (bits <- Vector(8, 16, 32, 64); signed <- Vector(true, false))
        yield (s"${if (signed) "" else "u"}int$bits", Integer(bits, signed)))

  private val byName: Predef.Map[String, LogicalType] = plain.toMap
  private val nameOf: Predef.Map[LogicalType, String] = plain.map(_.swap).toMap

  /** Longer strings are refused, which bounds the nesting of fixed-size lists. */
  private val MaxLength = 500

  def parse(text: String): LogicalType =
    Option(text).filter(_.length <= MaxLength).flatMap(known).getOrElse(Unknown(text))

  def print(logicalType: LogicalType): String = logicalType match {
    case FixedSizeBinary(width) => s"fixed_size_binary:$width"
    case Decimal(bits, precision, scale) => s"decimal:$bits:$precision:$scale"
    case Timestamp(unit, zone) => s"timestamp:${unit.symbol}:${zone.getOrElse("-")}"
    case Duration(unit) => s"duration:${unit.symbol}"
    case FixedSizeList(item, size) => s"fixed_size_list:${print(item)}:$size"
    case Dictionary(value, index) => s"dict:${print(value)}:${print(index)}:false"
    case Unknown(name) => name
    case Null | Bool | Date32 | Date64 | BFloat16 | Struct | Map | Json | Blob | _: Integer | _: FloatingPoint |
        _: Utf8 | _: Binary | _: Time | _: List =>
      nameOf(logicalType)
  }

  private def known(text: String): Option[LogicalType] =
    byName.get(text).orElse(text.split(":", -1).toVector match {
      case Vector("fixed_size_binary", width) => int(width, 0, Int.MaxValue).map(FixedSizeBinary)
      case Vector("decimal", bits, precision, scale) => decimal(bits, precision, scale)
      case "timestamp" +: unit +: zone if zone.nonEmpty => timestamp(unit, zone.mkString(":"))
      case Vector("duration", unit) => unitOf(unit).map(Duration)
      case "fixed_size_list" +: item :+ size if item.nonEmpty =>
        for (n <- int(size, 1, Int.MaxValue); i <- known(item.mkString(":"))) yield FixedSizeList(i, n)
      case Vector("dict", value, index, "false") =>
        for (v <- byName.get(value); i <- byName.get(index).collect { case i: Integer => i })
          yield Dictionary(v, i)
      case _ => None
    })

  private def decimal(bits: String, precision: String, scale: String): Option[LogicalType] =
    for {
      b <- int(bits, 128, 256).filter(b => b == 128 || b == 256)
      p <- int(precision, 1, if (b == 128) 38 else 76)
      s <- int(scale, Byte.MinValue, Byte.MaxValue)
    } yield Decimal(b, p, s)

  private def timestamp(unit: String, zone: String): Option[LogicalType] =
    unitOf(unit).map(Timestamp(_, Option(zone).filter(_ != "-")))

  private def unitOf(symbol: String): Option[TimeUnit] = TimeUnit.all.find(_.symbol == symbol)

  private def int(text: String, min: Int, max: Int): Option[Int] =
    text.toIntOption.filter(n => n >= min && n <= max)
}
