package io.sparklance.spark.types

import org.apache.spark.sql.types._

import io.sparklance.schema.{Field, LogicalTypes}

/** Fixed-size lists and floats of 16 bits, as the metadata of columns asks for them. */
final class FixedSizeListsSuite extends ConvertedSchemas {
  test("a fixed-size list records its size in the column's metadata, and is restored by it") {
    val field = SchemaConverter.toSpark(lance("fixed_size_list:float:3"))
    assert(field.head.metadata.getLong("arrow.fixed-size-list.size") == 3)
    assert(SchemaConverter.toLance(field) == lance("fixed_size_list:float:3"))
    val text = new MetadataBuilder().putString("arrow.fixed-size-list.size", "3").build()
    val byText = StructField("c0", ArrayType(FloatType), metadata = text)
    assert(SchemaConverter.toLance(StructType(Seq(byText))) == lance("fixed_size_list:float:3"))
  }

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

  test("floats have 16 bits if requested, and keep them in copies") {
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
}
