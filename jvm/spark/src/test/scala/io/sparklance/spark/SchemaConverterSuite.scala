package io.sparklance.spark

import org.apache.spark.sql.types._

import io.sparklance.schema.{Field, LanceSchema, LogicalTypes}

final class SchemaConverterSuite extends SparkSuite {
  private def lance(types: String*): LanceSchema = {
    spark
    LanceSchema(types.toVector.zipWithIndex.map { case (text, i) =>
      Field(i, s"c$i", LogicalTypes.parse(text), nullable = true)
    })
  }

  private def shown(text: String): DataType = SchemaConverter.toSpark(lance(text)).head.dataType

  private val both = Seq(
    "bool" -> BooleanType,
    "int8" -> ByteType,
    "int16" -> ShortType,
    "int32" -> IntegerType,
    "int64" -> LongType,
    "float" -> FloatType,
    "double" -> DoubleType,
    "decimal:128:38:10" -> DecimalType(38, 10),
    "string" -> StringType,
    "binary" -> BinaryType,
    "date32:day" -> DateType,
    "timestamp:us:UTC" -> TimestampType,
    "timestamp:us:-" -> TimestampNTZType
  )

  private val readOnly = Seq(
    "uint8" -> ShortType,
    "uint16" -> IntegerType,
    "uint32" -> LongType,
    "uint64" -> DecimalType(20, 0),
    "large_string" -> StringType,
    "large_binary" -> BinaryType,
    "timestamp:s:Europe/Berlin" -> TimestampType,
    "timestamp:ms:+08:00" -> TimestampType,
    "timestamp:ms:-" -> TimestampNTZType,
    "fixed_size_list:float:3" -> ArrayType(FloatType, containsNull = true),
    "fixed_size_list:double:3" -> ArrayType(DoubleType, containsNull = true),
    "fixed_size_list:int64:3" -> ArrayType(LongType, containsNull = true)
  )

  both.foreach { case (text, spark) =>
    test(s"$text is $spark, and the other way round") {
      assert(shown(text) == spark)
      val back = SchemaConverter.toLance(StructType(Seq(StructField("c0", spark))))
      assert(back == lance(text))
    }
  }

  readOnly.foreach { case (text, spark) =>
    test(s"$text is shown as $spark")(assert(shown(text) == spark))
  }

  Seq(
    "halffloat",
    "timestamp:ns:UTC",
    "timestamp:ns:-",
    "decimal:256:40:2",
    "fixed_size_binary:16",
    "date64:ms",
    "time64:us",
    "duration:us",
    "list",
    "map",
    "json",
    "null",
    "lance.bfloat16",
    "fixed_size_list:halffloat:4",
    "fixed_size_list:fixed_size_list:float:2:2"
  ).foreach { text =>
    test(s"$text is refused by its name and the column's") {
      assert(refusal(shown(text)).startsWith(s"column 'c0' of type $text is not supported"))
    }
  }

  test("a fixed-size list tells its size in the column's metadata, and comes back by it") {
    val field = SchemaConverter.toSpark(lance("fixed_size_list:float:3"))
    assert(field.head.metadata.getLong("arrow.fixed-size-list.size") == 3)
    assert(SchemaConverter.toLance(field) == lance("fixed_size_list:float:3"))
    val text = new MetadataBuilder().putString("arrow.fixed-size-list.size", "3").build()
    val byText = StructField("c0", ArrayType(FloatType), metadata = text)
    assert(SchemaConverter.toLance(StructType(Seq(byText))) == lance("fixed_size_list:float:3"))
  }

  test("Arrow's metadata and nullability are kept both ways") {
    spark
    val schema = LanceSchema(
      Vector(Field(
        0,
        "a",
        LogicalTypes.parse("int32"),
        nullable = false,
        metadata = Map("lance-encoding:compression" -> "zstd")
      ))
    )
    val shown = SchemaConverter.toSpark(schema)
    assert(shown.head.metadata.getString("lance-encoding:compression") == "zstd")
    assert(!shown.head.nullable)
    assert(SchemaConverter.toLance(shown) == schema)
  }

  test("char and varchar are strings that remember what they are") {
    val schema = SchemaConverter.toLance(StructType(Seq(StructField("v", VarcharType(5)))))
    assert(LogicalTypes.print(schema.fields.head.logicalType) == "string")
    assert(schema.fields.head.metadata == Map("__CHAR_VARCHAR_TYPE_STRING" -> "varchar(5)"))
  }

  test("all columns that Lance cannot hold are named at once, each with its cure") {
    val schema =
      StructType.fromDDL("a INT, b ARRAY<INT>, c INTERVAL YEAR, d MAP<STRING, INT>, e STRING COLLATE UNICODE")
    val message = refusal(SchemaConverter.toLance(schema.add("f", NullType)))
    assert(
      message.startsWith("A Lance table cannot hold column 'b' of type array<int>: arrays of varying length")
    )
    Seq(
      "'c' of type interval year",
      "'d' of type map<string,int>",
      "'e' of type string collate",
      "'f' of type void"
    ).foreach {
      part => assert(message.contains(part))
    }
    assert(message.contains("CAST(NULL AS STRING)"))
    assert(!message.contains("'a'"))
  }

  test("names with dots, doubled names and tables without columns are refused") {
    assert(refusal(SchemaConverter.toLance(new StructType().add("a.b", IntegerType))).contains("'a.b'"))
    assert(refusal(SchemaConverter.toLance(new StructType().add(
      "a",
      IntegerType
    ).add("a", LongType))).contains("two columns"))
    assert(refusal(SchemaConverter.toLance(new StructType())).contains("needs a column"))
  }

  test("names that differ in case only are refused unless Spark tells them apart") {
    val schema = LanceSchema(Vector("a", "b", "A").zipWithIndex.map { case (name, i) =>
      Field(i, name, LogicalTypes.parse("int32"), nullable = true)
    })
    spark
    assert(refusal(SchemaConverter.toSpark(schema)).contains("differ in case only (a, A)"))
    withSetting("spark.sql.caseSensitive", "true")(assert(SchemaConverter.toSpark(schema).length == 3))
  }
}
