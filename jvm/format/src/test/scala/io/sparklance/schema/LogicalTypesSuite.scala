package io.sparklance.schema

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.schema.LogicalType._

class LogicalTypesSuite extends AnyFunSuite {

  private val types: Vector[(String, LogicalType)] = Vector(
    "null" -> Null,
    "bool" -> Bool,
    "int8" -> Integer(8, signed = true),
    "int16" -> Integer(16, signed = true),
    "int32" -> Integer(32, signed = true),
    "int64" -> Integer(64, signed = true),
    "uint8" -> Integer(8, signed = false),
    "uint16" -> Integer(16, signed = false),
    "uint32" -> Integer(32, signed = false),
    "uint64" -> Integer(64, signed = false),
    "halffloat" -> FloatingPoint(16),
    "float" -> FloatingPoint(32),
    "double" -> FloatingPoint(64),
    "string" -> Utf8(large = false),
    "large_string" -> Utf8(large = true),
    "binary" -> Binary(large = false),
    "large_binary" -> Binary(large = true),
    "decimal:128:38:10" -> Decimal(128, 38, 10),
    "decimal:128:5:-2" -> Decimal(128, 5, -2),
    "decimal:256:76:0" -> Decimal(256, 76, 0),
    "date32:day" -> Date32,
    "date64:ms" -> Date64,
    "time32:s" -> Time(TimeUnit.Second),
    "time32:ms" -> Time(TimeUnit.Millisecond),
    "time64:us" -> Time(TimeUnit.Microsecond),
    "time64:ns" -> Time(TimeUnit.Nanosecond),
    "timestamp:us:-" -> Timestamp(TimeUnit.Microsecond, None),
    "timestamp:ns:UTC" -> Timestamp(TimeUnit.Nanosecond, Some("UTC")),
    "timestamp:s:+08:00" -> Timestamp(TimeUnit.Second, Some("+08:00")),
    "duration:ms" -> Duration(TimeUnit.Millisecond),
    "fixed_size_binary:16" -> FixedSizeBinary(16),
    "fixed_size_list:float:128" -> FixedSizeList(FloatingPoint(32), 128),
    "fixed_size_list:fixed_size_list:float:4:2" -> FixedSizeList(FixedSizeList(FloatingPoint(32), 4), 2),
    "fixed_size_list:timestamp:us:+08:00:3" ->
      FixedSizeList(Timestamp(TimeUnit.Microsecond, Some("+08:00")), 3),
    "fixed_size_list:lance.bfloat16:8" -> FixedSizeList(BFloat16, 8),
    "fixed_size_list:struct:2" -> FixedSizeList(Struct, 2),
    "list" -> List(large = false, ofStruct = false),
    "large_list" -> List(large = true, ofStruct = false),
    "list.struct" -> List(large = false, ofStruct = true),
    "large_list.struct" -> List(large = true, ofStruct = true),
    "struct" -> Struct,
    "map" -> Map,
    "dict:string:int8:false" -> Dictionary(Utf8(large = false), Integer(8, signed = true)),
    "json" -> Json,
    "blob" -> Blob
  )

  for ((text, logicalType) <- types)
    test(s"$text is read and written as the type it names") {
      assert(LogicalTypes.parse(text) == logicalType)
      assert(LogicalTypes.print(logicalType) == text)
    }

  private val strange = Vector(
    "",
    "int128",
    "Int32",
    "decimal:128:39:0",
    "decimal:64:5:0",
    "decimal:128:5",
    "decimal:128:x:0",
    "timestamp:us",
    "timestamp:min:-",
    "duration:",
    "time32:us",
    "fixed_size_binary:-1",
    "fixed_size_list:float:0",
    "fixed_size_list:float:-3",
    "fixed_size_list:float:99999999999",
    "fixed_size_list:4",
    "dict:string:string:false",
    "dict:string:int8:true",
    "union",
    "list_view"
  )

  for (text <- strange)
    test(s"\"$text\" is a type that is not known, and written as it was") {
      assert(LogicalTypes.parse(text) == Unknown(text))
      assert(LogicalTypes.print(Unknown(text)) == text)
    }

  test("fixed-size lists nested without end are not followed") {
    val endless = "fixed_size_list:" * 100000 + "float" + ":1" * 100000
    assert(LogicalTypes.parse(endless) == Unknown(endless))
  }
}
