package io.sparklance.spark

import java.nio.charset.StandardCharsets.UTF_8
import java.sql.{Date, Timestamp}
import java.time.LocalDateTime

import org.apache.spark.sql.types._
import org.apache.spark.sql.{DataFrame, Row}

import io.sparklance.data.FileVersion
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.io.LocalStore
import io.sparklance.schema.{Field, LanceSchema, LogicalTypes}
import io.sparklance.spark.types.FieldMetadata

/** Values of every type, written and read. */
final class TypesSuite extends SparkSuite {

  /** A value in each third row, a null in the next, another value in the last. */
  private def column(dataType: DataType, metadata: Metadata, values: Seq[Any]): DataFrame = {
    val schema =
      StructType(Seq(StructField("id", IntegerType), StructField("v", dataType, nullable = true, metadata)))
    val all = values.flatMap(v => Seq(v, null))
    val rows = all.zipWithIndex.map { case (v, i) => Row(i, v) }
    spark.createDataFrame(spark.sparkContext.parallelize(rows, 2), schema)
  }

  private def roundTrips(dataType: DataType, metadata: Metadata, values: Seq[Any]): Unit = {
    val path = freshPath()
    val frame = column(dataType, metadata, values)
    frame.write.format("lance").save(path)
    val back = load(path)
    assert(back.schema("v").dataType == dataType)
    val (got, wanted) =
      (back.orderBy("id").collect().map(_.get(1)), frame.orderBy("id").collect().map(_.get(1)))
    assert(got.length == wanted.length)
    got.zip(wanted).foreach {
      case (a: Array[Byte], b: Array[Byte]) => assert(a.sameElements(b))
      case (a: Double, b: Double) =>
        assert(java.lang.Double.doubleToRawLongBits(a) == java.lang.Double.doubleToRawLongBits(b))
      case (a: Float, b: Float) =>
        assert(java.lang.Float.floatToRawIntBits(a) == java.lang.Float.floatToRawIntBits(b))
      case (a, b) => assert(a == b)
    }
  }

  private val longText = "straße – 路 " * 2000

  Seq[(DataType, Seq[Any])](
    BooleanType -> Seq(true, false, true, true),
    ByteType -> Seq[Byte](0, 1, -1, Byte.MinValue, Byte.MaxValue),
    ShortType -> Seq[Short](0, 1, -1, Short.MinValue, Short.MaxValue),
    IntegerType -> Seq(0, 1, -1, Int.MinValue, Int.MaxValue),
    LongType -> Seq(0L, 1L, -1L, Long.MinValue, Long.MaxValue),
    FloatType -> Seq(0f, -0f, 1.5f, Float.NaN, Float.MinPositiveValue, Float.NegativeInfinity),
    DoubleType -> Seq(0d, -0d, 1.5d, Double.NaN, Double.MinPositiveValue, Double.PositiveInfinity),
    StringType -> Seq("", "a", "straße – 路", longText),
    BinaryType -> Seq(Array.emptyByteArray, Array[Byte](0, -1), longText.getBytes(UTF_8)),
    DateType -> Seq("1970-01-01", "0001-01-01", "9999-12-31", "2024-02-29").map(Date.valueOf),
    TimestampType -> Seq(
      "1969-12-31 23:59:59.999999",
      "2024-02-29 12:00:00",
      "0001-01-03 00:00:00.000001"
    ).map(Timestamp.valueOf),
    TimestampNTZType ->
      Seq("1969-12-31T23:59:59.999999", "9999-12-31T23:59:59.999999").map(LocalDateTime.parse)
  ).foreach { case (dataType, values) =>
    test(s"$dataType goes out and comes back, nulls included")(roundTrips(dataType, Metadata.empty, values))
    test(s"$dataType can be all null")(roundTrips(dataType, Metadata.empty, Seq(null, null)))
  }

  Seq(
    DecimalType(1, 0),
    DecimalType(9, 2),
    DecimalType(18, 18),
    DecimalType(19, 3),
    DecimalType(38, 0),
    DecimalType(38, 38)
  )
    .foreach { decimal =>
      test(s"$decimal goes out and comes back, to its last digit") {
        val most = BigDecimal(BigInt("9" * decimal.precision), decimal.scale)
        val one = BigDecimal(BigInt(1), decimal.scale)
        roundTrips(decimal, Metadata.empty, Seq(most, -most, one, -one, one - one).map(_.bigDecimal))
      }
    }

  private def sized(n: Int): Metadata =
    new MetadataBuilder().putLong(FieldMetadata.FixedSizeKey, n.toLong).build()

  Seq[(DataType, Seq[Any])](
    FloatType -> Seq(1f, -2.5f, 0f),
    DoubleType -> Seq(1d, -2.5d, Double.MaxValue),
    IntegerType -> Seq(Int.MinValue, 0, 7),
    LongType -> Seq(Long.MinValue, 0L, 7L)
  ).foreach { case (item, values) =>
    test(s"lists of three $item go out and come back, with nulls in them and among them") {
      val withNull = values.updated(1, null)
      roundTrips(
        ArrayType(item, containsNull = true),
        sized(3),
        Seq(values, withNull, values.reverse, Seq(null, null, null))
      )
    }
  }

  test("vectors of many dimensions go out and come back") {
    val vectors = (0 until 300).map(i => Seq.tabulate(96)(j => (i * 96 + j).toFloat))
    roundTrips(ArrayType(FloatType, containsNull = true), sized(96), vectors)
  }

  test("a list of another length than the column's is refused, with both lengths") {
    val frame = column(ArrayType(FloatType), sized(3), Seq(Seq(1f, 2f)))
    val path = freshPath()
    val message = refusal(frame.write.format("lance").save(path))
    assert(message.contains("a list of 3 items, but a row to be written has an array of 2"))
    eventually(assert(dataFiles(path).isEmpty))
  }

  test("NOT NULL is kept and enforced") {
    val path = freshPath()
    sql(s"CREATE TABLE lance.`$path` (a INT NOT NULL, b INT)")
    assert(!load(path).schema("a").nullable && load(path).schema("b").nullable)
    sql(s"INSERT INTO lance.`$path` VALUES (1, NULL)")
    assert(
      intercept[Exception](sql(s"INSERT INTO lance.`$path` VALUES (NULL, 1)")).getMessage.contains("NULL")
    )
    assert(load(path).count() == 1)
  }

  private def emptyTable(typeName: String): String = {
    val path = freshPath()
    val schema = LanceSchema(Vector(Field(0, "v", LogicalTypes.parse(typeName), nullable = true)))
    val _ = Dataset.create(LocalStore, path, TableDefinition(schema, FileVersion.V2_2), Vector.empty)
    path
  }

  Seq(
    ("uint8", "0S, 255S, NULL", "256S"),
    ("uint16", "0, 65535, NULL", "-1"),
    ("uint32", "0L, 4294967295L, NULL", "4294967296L"),
    (
      "uint64",
      "0, CAST(18446744073709551615 AS DECIMAL(20, 0)), NULL",
      "CAST(18446744073709551616 AS DECIMAL(20, 0))"
    ),
    (
      "timestamp:s:UTC",
      "TIMESTAMP'2024-01-01 00:00:01', TIMESTAMP'1900-01-01 00:00:00', NULL",
      "TIMESTAMP'2024-01-01 00:00:01.5'"
    ),
    (
      "timestamp:ms:-",
      "TIMESTAMP_NTZ'1900-01-01 00:00:01.001', NULL",
      "TIMESTAMP_NTZ'2024-01-01 00:00:01.0001'"
    ),
    ("large_string", "'a', NULL", ""),
    ("large_binary", "X'00ff', NULL", "")
  ).foreach { case (typeName, fitting, misfit) =>
    test(s"a column of type $typeName, made by others, takes values that fit and no others") {
      val path = emptyTable(typeName)
      val values = fitting.split(", ?(?![^(]*\\))").map(v => s"($v)").mkString(", ")
      sql(s"INSERT INTO lance.`$path` VALUES $values")
      val wanted = sql(s"SELECT CAST(col1 AS ${load(path).schema("v").dataType.sql}) FROM VALUES $values")
      assert(load(path).collect().map(r => text(r.get(0))).toSet ==
        wanted.collect().map(r => text(r.get(0))).toSet)
      if (misfit.nonEmpty) {
        val before = dataFiles(path)
        assert(refusal(sql(s"INSERT INTO lance.`$path` VALUES ($misfit)")).startsWith("Column 'v' holds"))
        eventually(assert(dataFiles(path) == before))
      }
    }
  }

  private def text(value: Any): String = value match {
    case bytes: Array[Byte] => bytes.mkString(",")
    case other => String.valueOf(other)
  }
}
