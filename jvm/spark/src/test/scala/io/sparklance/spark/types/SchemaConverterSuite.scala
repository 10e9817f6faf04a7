package io.sparklance.spark.types

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

import io.sparklance.schema.{Field, LanceSchema, LogicalTypes}
import io.sparklance.spark.SparkSuite

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
    "halffloat" -> FloatType,
    "lance.bfloat16" -> FloatType,
    "timestamp:ns:UTC" -> TimestampType,
    "timestamp:ns:-" -> TimestampNTZType,
    "date64:ms" -> DateType,
    "time32:s" -> LongType,
    "time64:us" -> LongType,
    "duration:s" -> DayTimeIntervalType(),
    "fixed_size_binary:16" -> BinaryType,
    "null" -> NullType,
    "json" -> StringType,
    "dict:string:int8:false" -> StringType,
    "dict:uint8:uint64:false" -> ShortType,
    "decimal:256:38:2" -> DecimalType(38, 2),
    "decimal:256:40:2" -> DecimalType(38, 2),
    "decimal:256:76:70" -> DecimalType(38, 38),
    "decimal:128:10:-2" -> DecimalType(12, 0),
    "decimal:128:38:-2" -> DecimalType(38, 0),
    "decimal:128:5:7" -> DecimalType(7, 7),
    "fixed_size_list:bool:9" -> ArrayType(BooleanType, containsNull = true),
    "fixed_size_list:lance.bfloat16:4" -> ArrayType(FloatType, containsNull = true),
    "fixed_size_list:fixed_size_list:float:2:2" ->
      ArrayType(ArrayType(FloatType, containsNull = true), containsNull = true),
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
    "timestamp:ns:UTC" -> LongType,
    "duration:ns" -> LongType,
    "date64:ms" -> LongType,
    "decimal:256:40:2" -> StringType,
    "fixed_size_list:timestamp:ns:-:2" -> ArrayType(LongType, containsNull = true),
    "timestamp:ms:-" -> TimestampNTZType,
    "duration:us" -> DayTimeIntervalType(),
    "decimal:256:38:2" -> DecimalType(38, 2)
  ).foreach { case (text, spark) =>
    test(s"$text is shown as $spark if it is to be raw") {
      assert(SchemaConverter.toSpark(
        lance(text),
        ReadTypeOptions.default.copy(lossyValues = LossyValues.Raw)
      ).head.dataType == spark)
    }
  }

  test("metadata tells the stored type where Spark's does not, and is not written back") {
    val shown = SchemaConverter.toSpark(lance("time64:ns", "fixed_size_binary:16", "int64", "uint8"))
    val told = shown.fields.toSeq.map { f =>
      Option.when(f.metadata.contains(FieldMetadata.StoredTypeKey))(
        f.metadata.getString(FieldMetadata.StoredTypeKey)
      )
    }
    assert(told == Seq(Some("time64:ns"), Some("fixed_size_binary:16"), None, None))
    assert(SchemaConverter.toLance(shown).fields.forall(_.metadata.isEmpty))
  }

  test("texts of JSON are stored as JSON, if the metadata says that they are") {
    spark
    val extension = Map("ARROW:extension:name" -> "lance.json", "ARROW:extension:metadata" -> "")
    val metadata = extension + ("a" -> "b")
    val stored = Field(0, "c0", LogicalTypes.parse("json"), nullable = true, metadata = metadata)
    val shown = SchemaConverter.toSpark(LanceSchema(Vector(stored)))
    assert(SchemaConverter.toLance(shown).fields.head == stored)
    val arrow = new MetadataBuilder().putString("ARROW:extension:name", "arrow.json").build()
    val made = SchemaConverter.toLance(StructType(Seq(StructField("c0", StringType, metadata = arrow))))
    assert(made.fields.head == stored.copy(metadata = extension))
    val number = SchemaConverter.toLance(StructType(Seq(StructField("c0", LongType, metadata = arrow))))
    assert(number.fields.head.metadata.isEmpty, "a number is no JSON")
  }

  Seq("list", "map", "union", "dict:struct:int8:false", "dict:list:int32:false").foreach { text =>
    test(
      s"$text is BINARY, named in its metadata, and refused by its name and the column's when it is read"
    ) {
      val schema = lance(text)
      assert(shown(text) == BinaryType)
      assert(refusal(SchemaConverter.refuseUnsupported(schema.fields)).startsWith(
        s"column 'c0' of type $text is not supported"
      ))
    }
  }

  test("a field that cannot be read is named with what it is in") {
    val odd = Field(1, "odd", LogicalTypes.parse("union"), nullable = true)
    val struct = Field(0, "s", LogicalTypes.parse("struct"), nullable = true, Vector(odd))
    spark
    assert(SchemaConverter.toSpark(LanceSchema(Vector(struct))).head.dataType.catalogString ==
      "struct<odd:binary>")
    assert(refusal(
      SchemaConverter.refuseUnsupported(Vector(struct))
    ).startsWith("column 's.odd' of type union is not"))
    assert(SchemaConverter.toSpark(LanceSchema(Vector(odd))).head.metadata.getString("lance.type") == "union")
  }

  private val blobs = Seq(
    Field(
      0,
      "v1",
      LogicalTypes.parse("large_binary"),
      nullable = true,
      metadata = Map("lance-encoding:blob" -> "true")
    ),
    Field(
      1,
      "v2",
      LogicalTypes.parse("struct"),
      nullable = true,
      metadata = Map("ARROW:extension:name" -> "lance.blob.v2")
    )
  )

  test("blobs are descriptors, or bytes if these are asked for") {
    spark
    val schema = LanceSchema(blobs.toVector)
    assert(SchemaConverter.toSpark(schema).map(_.dataType.catalogString) == Seq(
      "struct<position:bigint,size:bigint>",
      "struct<kind:smallint,position:bigint,size:bigint,blob_id:bigint,blob_uri:string>"
    ))
    val bytes = SchemaConverter.toSpark(schema, ReadTypeOptions.default.copy(blobs = BlobHandling.Bytes))
    assert(bytes.map(_.dataType) == Seq(BinaryType, BinaryType))
    assert(SchemaConverter.toLance(bytes).fields.forall(_.isBlob))
  }

  test("a text that is marked as a blob cannot be read") {
    val text = blobs.head.copy(logicalType = LogicalTypes.parse("string"))
    assert(refusal(SchemaConverter.refuseUnsupported(Vector(text))).startsWith("column 'v1' of type string"))
  }

  test("names that differ in case only are refused unless Spark tells them apart, in structs as well") {
    val int = LogicalTypes.parse("int32")
    val twins = Vector(Field(1, "a", int, nullable = true), Field(2, "A", int, nullable = true))
    val struct = Field(0, "s", LogicalTypes.parse("struct"), nullable = true, twins)
    for (fields <- Seq(twins, Vector(struct))) {
      spark
      assert(
        refusal(SchemaConverter.toSpark(LanceSchema(fields))).contains("names differ in case only (a, A)")
      )
      withSetting("spark.sql.caseSensitive", "true") {
        assert(SchemaConverter.toSpark(LanceSchema(fields)).size == fields.size)
      }
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
    // Their constructors are not the same in all Sparks.
    def typed(ddl: String): DataType = StructType.fromDDL(s"v $ddl").head.dataType
    val schema = SchemaConverter.toLance(StructType(Seq(StructField("v", typed("VARCHAR(5)")))))
    assert(LogicalTypes.print(schema.fields.head.logicalType) == "string")
    assert(schema.fields.head.metadata == Map("__CHAR_VARCHAR_TYPE_STRING" -> "varchar(5)"))
    for (kind <- Seq(typed("VARCHAR(5)"), typed("CHAR(1)"), typed("ARRAY<VARCHAR(2)>"))) {
      assert(kind != StringType && kind != ArrayType(StringType))
      assert(kept(StructField("v", kind))._2.dataType == kind)
    }
    assert(told("varchar(0)", "string") == StringType)
  }

  test("all columns that Lance cannot hold are named at once, each with its cure") {
    spark
    val schema = StructType.fromDDL(
      "a INT, b ARRAY<VARIANT>, d MAP<STRING, STRUCT<x: VARIANT>>, e STRING COLLATE UNICODE"
    )
    val message = refusal(SchemaConverter.toLance(schema))
    assert(
      message.startsWith("A Lance table cannot hold column 'b.item' of type variant: write to_json(…) of it")
    )
    Seq("'d.value.x' of type variant", "'e' of type string collate").foreach(part =>
      assert(message.contains(part))
    )
    assert(!message.contains("'a'"))
  }

  // ---- types that are stored as others are

  /** The logical type of each field, and the field as Spark shows it again. */
  private def kept(column: StructField): (String, StructField) = {
    spark
    val lance = SchemaConverter.toLance(StructType(Seq(column)))
    val back = SchemaConverter.toSpark(lance)
    assert(SchemaConverter.toLance(back) == lance, "a copy of the table is another one")
    (LogicalTypes.print(lance.fields.head.logicalType), back.head)
  }

  Seq(
    YearMonthIntervalType(0, 1) -> "int32",
    YearMonthIntervalType(1, 1) -> "int32",
    DayTimeIntervalType(0, 3) -> "duration:us",
    DayTimeIntervalType(2, 3) -> "duration:us",
    NullType -> "null",
    ArrayType(YearMonthIntervalType(0, 0), containsNull = false) -> "list",
    MapType(StringType, DayTimeIntervalType(0, 0), valueContainsNull = true) -> "map",
    StructType(Seq(StructField("x", YearMonthIntervalType(0, 0)))) -> "struct"
  ).foreach { case (kind, stored) =>
    test(s"${kind.sql} is stored as $stored, and is itself when it is read") {
      val (lance, back) = kept(StructField("c", kind))
      assert((lance, back.dataType.sql) == ((stored, kind.sql)))
    }
  }

  test("types of libraries are stored as what they are made of, and are themselves when they are read") {
    val point = new PointType
    for (
      kind <-
        Seq(point, ArrayType(point), MapType(StringType, point), StructType(Seq(StructField("p", point))))
    )
      assert(kept(StructField("c", kind))._2.dataType.simpleString == kind.simpleString)
    assert(kept(StructField("c", point))._1 == "struct")
  }

  private def told(text: String, lance: String = "int32"): DataType = {
    spark
    val field =
      Field(0, "c", LogicalTypes.parse(lance), nullable = true, metadata = Map(KeptTypes.Key -> text))
    SchemaConverter.toSpark(LanceSchema(Vector(field))).head.dataType
  }

  test("what metadata says of a type is believed of values that can be of it only") {
    assert(told(YearMonthIntervalType().json) == YearMonthIntervalType())
    assert(told(YearMonthIntervalType().json, "int64") == LongType)
    assert(told(DayTimeIntervalType().json, "int64") == LongType)
    assert(told(StringType.json) == IntegerType)
    assert(told(new PointType().json) == IntegerType)
    assert(told("\"time(6)\"", "time64:ns") == LongType, "unless this Spark has times")
  }

  test("no class is loaded but one that is a type, and none is missed") {
    for (name <- Seq("java.lang.Thread", "io.sparklance.NotThere", ""))
      assert(told(s"""{"type":"udt","class":"$name","pyClass":null,"sqlType":"integer"}""") == IntegerType)
    val pickled = """{"type":"udt","pyClass":"a.B","serializedClass":"gAA=","sqlType":"integer"}"""
    assert(Seq(pickled, "{", "", "[]", "\"nothing\"").forall(told(_) == IntegerType))
  }

  // ---- vectors and other wishes

  private def lists(metadata: (String, String)*)(item: DataType): String = {
    val built = metadata.foldLeft(new MetadataBuilder) { case (b, (key, value)) => b.putString(key, value) }
    kept(StructField("c", ArrayType(item, containsNull = true), metadata = built.build()))._1
  }

  private val size = "arrow.fixed-size-list.size"

  test("fixed-size lists are of any flat type, of 16 bits if that is wanted, and of each other") {
    assert(lists(size -> "3", "arrow.float16" -> "true")(FloatType) == "fixed_size_list:halffloat:3")
    assert(lists(size -> "3", "arrow.bfloat16" -> "TRUE")(FloatType) == "fixed_size_list:lance.bfloat16:3")
    assert(lists(size -> "3", "arrow.float16" -> "false")(FloatType) == "fixed_size_list:float:3")
    assert(lists(size -> "3")(BooleanType) == "fixed_size_list:bool:3")
    assert(lists(size -> "3")(DecimalType(20, 2)) == "fixed_size_list:decimal:128:20:2:3")
    assert(lists(size -> "3")(TimestampType) == "fixed_size_list:timestamp:us:UTC:3")
    val pairs = lists(size -> "3", s"item.$size" -> "2", "item.arrow.float16" -> "true")(ArrayType(FloatType))
    assert(pairs == "fixed_size_list:fixed_size_list:halffloat:2:3")
  }

  test("lists, maps and structs hold fixed-size lists, each with a size of its own") {
    spark
    val metadata = new MetadataBuilder().putString(s"item.$size", "2").putString("item.a", "b").build()
    val list = StructField("c", ArrayType(ArrayType(FloatType)), metadata = metadata)
    val item = SchemaConverter.toLance(StructType(Seq(list))).fields.head.children.head
    assert((LogicalTypes.print(item.logicalType), item.metadata) ==
      (("fixed_size_list:float:2", Map("a" -> "b"))))
    assert(kept(list)._2.metadata.getString("item.a") == "b")
    val values = new MetadataBuilder().putString(s"value.$size", "2").putString(s"key.$size", "1").build()
    val map = StructField("c", MapType(ArrayType(IntegerType), ArrayType(FloatType)), metadata = values)
    val entries = SchemaConverter.toLance(StructType(Seq(map))).fields.head.children.head.children
    assert(entries.map(f => LogicalTypes.print(f.logicalType)) ==
      Vector("fixed_size_list:int32:1", "fixed_size_list:float:2"))
    assert(kept(map)._2.metadata.getLong(s"value.$size") == 2)
  }

  test("floats are of 16 bits if that is wanted, and stay so in copies") {
    def float(key: String): Field = {
      val metadata = new MetadataBuilder().putString(key, "true").build()
      val made = StructType(Seq(StructField("c", FloatType, metadata = metadata)))
      val lance = SchemaConverter.toLance(made)
      assert(SchemaConverter.toLance(SchemaConverter.toSpark(lance)) == lance)
      lance.fields.head
    }
    spark
    assert(float("arrow.float16").logicalType == LogicalTypes.parse("halffloat"))
    val brain = float("arrow.bfloat16")
    assert(brain.logicalType == LogicalTypes.parse("fixed_size_binary:2"))
    assert(brain.metadata("ARROW:extension:name") == "lance.bfloat16")
  }

  Seq("0", "-1", "x", "2147483648", "1.5").foreach { wrong =>
    test(s"a fixed-size list of size $wrong is refused") {
      val metadata = new MetadataBuilder().putString(size, wrong).build()
      val schema = StructType(Seq(StructField("c", ArrayType(FloatType), metadata = metadata)))
      assert(refusal(SchemaConverter.toLance(schema)).contains("must be a number, 1 or more"))
    }
  }

  test("fixed-size lists of texts, and of structs, are refused") {
    for (item <- Seq(StringType, StructType.fromDDL("x INT"), ArrayType(FloatType))) {
      val metadata = new MetadataBuilder().putString(size, "2").build()
      val schema = StructType(Seq(StructField("c", ArrayType(item), metadata = metadata)))
      assert(refusal(SchemaConverter.toLance(schema)).contains("must be booleans, numbers, dates, times"))
    }
  }

  test("arrays, structs and maps become fields as the reference has them") {
    val fields = SchemaConverter.toLance(StructType.fromDDL(
      "a ARRAY<INT>, s STRUCT<x: INT NOT NULL, y: ARRAY<STRUCT<z: STRING>>>, m MAP<STRING, INT>"
    )).preOrder
    val named = fields.map(f => (f.id, f.name, LogicalTypes.print(f.logicalType), f.nullable))
    assert(named == Vector(
      (0, "a", "list", true),
      (1, "item", "int32", true),
      (2, "s", "struct", true),
      (3, "x", "int32", false),
      (4, "y", "list.struct", true),
      (5, "item", "struct", true),
      (6, "z", "string", true),
      (7, "m", "map", true),
      (8, "entries", "struct", false),
      (9, "key", "string", false),
      (10, "value", "int32", true)
    ))
  }

  test("names with dots, doubled names and tables without columns are refused") {
    assert(refusal(SchemaConverter.toLance(new StructType().add("a.b", IntegerType))).contains("'a.b'"))
    assert(refusal(SchemaConverter.toLance(new StructType().add(
      "a",
      IntegerType
    ).add("a", LongType))).contains("two columns"))
    assert(refusal(SchemaConverter.toLance(new StructType())).contains("needs a column"))
    assert(
      refusal(SchemaConverter.toLance(StructType.fromDDL("s ARRAY<STRUCT<`x.y`: INT>>"))).contains("'x.y'")
    )
  }

  test("names that differ in case only are not written either, unless Spark tells them apart") {
    spark
    val twins = new StructType().add("a", IntegerType).add("A", IntegerType)
    for (schema <- Seq(twins, new StructType().add("s", ArrayType(twins)))) {
      assert(refusal(SchemaConverter.toLance(schema)).contains("names differ in case only (a, A)"))
      withSetting("spark.sql.caseSensitive", "true")(assert(SchemaConverter.toLance(schema).fields.nonEmpty))
    }
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

/** A type of a library, as those of ML are. */
final class PointType extends UserDefinedType[Point] {
  override def sqlType: DataType =
    StructType(Seq(
      StructField("x", DoubleType, nullable = false),
      StructField("tags", ArrayType(StringType))
    ))
  override def serialize(point: Point): Any = InternalRow(point.x, new GenericArrayData(Array.empty[Any]))
  override def deserialize(datum: Any): Point = datum match {
    case row: InternalRow => Point(row.getDouble(0))
    case other => throw new IllegalArgumentException(s"no point: $other")
  }
  override def userClass: Class[Point] = classOf[Point]
  override def equals(other: Any): Boolean = other.isInstanceOf[PointType]
  override def hashCode: Int = 1
}

final case class Point(x: Double)
