package io.sparklance.spark.types

import org.apache.spark.sql.types._

import io.sparklance.schema.{Field, LanceSchema, LogicalTypes}
import io.sparklance.spark.SparkSuite

/** Names of columns that Spark or Lance cannot hold. */
final class ColumnNamesSuite extends SparkSuite {
  test("names that differ in case only are refused unless Spark distinguishes them, in structs as well") {
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

  test("names that differ in case only are not written either, unless Spark distinguishes them") {
    spark
    val twins = new StructType().add("a", IntegerType).add("A", IntegerType)
    for (schema <- Seq(twins, new StructType().add("s", ArrayType(twins)))) {
      assert(refusal(SchemaConverter.toLance(schema)).contains("names differ in case only (a, A)"))
      withSetting("spark.sql.caseSensitive", "true")(assert(SchemaConverter.toLance(schema).fields.nonEmpty))
    }
  }

  test("names that differ in case only are refused unless Spark distinguishes them") {
    val schema = LanceSchema(Vector("a", "b", "A").zipWithIndex.map { case (name, i) =>
      Field(i, name, LogicalTypes.parse("int32"), nullable = true)
    })
    spark
    assert(refusal(SchemaConverter.toSpark(schema)).contains("differ in case only (a, A)"))
    withSetting("spark.sql.caseSensitive", "true")(assert(SchemaConverter.toSpark(schema).length == 3))
  }
}
