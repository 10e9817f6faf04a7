package io.sparklance.spark.types

import org.apache.spark.sql.types._

import io.sparklance.schema.{Field, LanceSchema, LogicalTypes}

final class SchemaConverterSuite extends ConvertedSchemas {
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

  private def asked(key: String, text: String, spark: DataType): StructType = {
    val metadata = new MetadataBuilder().putString(key, text).putLong(FieldMetadata.FixedSizeKey, 2).build()
    StructType(Seq(StructField("c0", spark, metadata = metadata)))
  }

  test("new columns, and items of vectors, have the type that their metadata ask for") {
    spark
    val special = Seq("null", "lance.bfloat16", "json", "dict:", "fixed_size_list:")
    val flat = (both ++ readOnly).filterNot { case (text, _) => special.exists(text.startsWith) }
    assert(flat.size > 25)
    flat.foreach { case (text, spark) =>
      val made = asked("arrow.type", text, spark)
      assert(SchemaConverter.toLance(made) == lance(text), text)
      spark match {
        case StringType | BinaryType => ()
        case _ =>
          val vectors = SchemaConverter.toLance(asked("item.arrow.type", text, ArrayType(spark)))
          assert(vectors == lance(s"fixed_size_list:$text:2"), text)
      }
    }
    Seq("uint8" -> LongType, "struct" -> LongType, "uint9" -> ShortType, "fixed_size_binary:0" -> BinaryType)
      .foreach { case (text, spark) =>
        val said = refusal(SchemaConverter.toLance(asked("arrow.type", text, spark)))
        assert(said.contains(s"its 'arrow.type' cannot be '$text': it "), said)
      }
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

  test("metadata records the stored type where Spark's does not determine it, and is not written back") {
    val shown = SchemaConverter.toSpark(lance("time64:ns", "fixed_size_binary:16", "int64", "uint8"))
    val told = shown.fields.toSeq.map { f =>
      Option.when(f.metadata.contains(FieldMetadata.StoredTypeKey))(
        f.metadata.getString(FieldMetadata.StoredTypeKey)
      )
    }
    assert(told == Seq(Some("time64:ns"), Some("fixed_size_binary:16"), None, None))
    assert(SchemaConverter.toLance(shown).fields.forall(_.metadata.isEmpty))
  }

  test("texts of JSON are stored as JSON, if the metadata asks for it") {
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

  test("a field that cannot be read is named with its path") {
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

  test("a string column that is marked as a blob cannot be read") {
    val text = blobs.head.copy(logicalType = LogicalTypes.parse("string"))
    assert(refusal(SchemaConverter.refuseUnsupported(Vector(text))).startsWith("column 'v1' of type string"))
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

  test("numbers and truth values in metadata are stored as texts, and come back as they were") {
    val told =
      new MetadataBuilder().putLong("digits", 3).putBoolean("isKey", value = true).putDouble("scale", 0.5)
        .putString("unit", "m").putLong("spark.watermarkDelayMs", 5).putLongArray("left out", Array(1L))
        .putLong("lance-schema:unenforced-primary-key:position", 1).putLong("item.depth", 2).build()
    val column = StructField("a", ArrayType(LongType), nullable = true, told)
    val stored = SchemaConverter.toLance(StructType(Seq(column)))
    val metadata = stored.fields.head.metadata
    assert(metadata("digits") == "3" && metadata("isKey") == "true" && metadata("scale") == "0.5")
    assert(metadata.keySet == Set("digits", "isKey", "scale", "unit", "spark.metadata"))
    assert(stored.fields.head.children.head.metadata("depth") == "2")
    val shown = SchemaConverter.toSpark(stored).head.metadata
    assert(shown.getLong("digits") == 3 && shown.getBoolean("isKey") && shown.getDouble("scale") == 0.5)
    assert(shown.getLong("item.depth") == 2 && !shown.contains("spark.metadata"))
    val edited = stored.fields.head.copy(metadata = metadata + ("digits" -> "four"))
    assert(SchemaConverter.toSpark(LanceSchema(Vector(edited))).head.metadata.getString("digits") == "four")
  }
}
