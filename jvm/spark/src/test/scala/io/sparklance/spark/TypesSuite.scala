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

  private case class Column(dataType: DataType, values: Seq[Any], metadata: Metadata = Metadata.empty) {

    /** The values with nulls between them, and behind them as far as other columns go on. */
    def at(row: Int): Any = if (row % 2 == 1) null else values.lift(row / 2).orNull
  }

  private def frame(columns: Seq[Column]): DataFrame = {
    val fields = columns.zipWithIndex.map { case (c, i) =>
      StructField(s"v$i", c.dataType, nullable = true, c.metadata)
    }
    val rows = (0 until columns.map(_.values.size * 2).max)
      .map(row => Row.fromSeq(row +: columns.map(_.at(row))))
    val schema = StructType(StructField("id", IntegerType) +: fields)
    spark.createDataFrame(spark.sparkContext.parallelize(rows, 2), schema)
  }

  /** Writes a table of all columns, and reads it. */
  private def roundTrips(columns: Seq[Column]): Unit = {
    val path = freshPath()
    frame(columns).write.format("lance").save(path)
    val back = load(path)
    val got = back.orderBy("id").collect()
    columns.zipWithIndex.foreach { case (column, i) =>
      assert(back.schema(s"v$i").dataType == column.dataType)
      got.indices.foreach(row =>
        assert(same(got(row).get(i + 1), column.at(row)), s"${column.dataType}, row $row")
      )
    }
  }

  private def same(got: Any, wanted: Any): Boolean = (got, wanted) match {
    case (a: Array[Byte], b: Array[Byte]) => a.sameElements(b)
    case (a: Double, b: Double) =>
      java.lang.Double.doubleToRawLongBits(a) == java.lang.Double.doubleToRawLongBits(b)
    case (a: Float, b: Float) =>
      java.lang.Float.floatToRawIntBits(a) == java.lang.Float.floatToRawIntBits(b)
    case (a, b) => a == b
  }

  private val longText = "straße – 路 " * 2000

  private val flat = Seq[(DataType, Seq[Any])](
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
  )

  test("flat values go out and come back, nulls included, and so do columns of nulls") {
    roundTrips(flat.map { case (dataType, values) => Column(dataType, values) } ++
      flat.map { case (dataType, _) => Column(dataType, Seq(null, null)) })
  }

  test("decimals go out and come back, to their last digit") {
    val types = Seq((1, 0), (9, 2), (18, 18), (19, 3), (38, 0), (38, 38))
      .map { case (precision, scale) => DecimalType(precision, scale) }
    roundTrips(types.map { decimal =>
      val most = new java.math.BigDecimal(BigInt("9" * decimal.precision).bigInteger, decimal.scale)
      val one = new java.math.BigDecimal(java.math.BigInteger.ONE, decimal.scale)
      Column(decimal, Seq(most, most.negate, one, one.negate, one.subtract(one)))
    })
  }

  private def sized(n: Int): Metadata =
    new MetadataBuilder().putLong(FieldMetadata.FixedSizeKey, n.toLong).build()

  test("lists of three items go out and come back, with nulls in them and among them") {
    val items = Seq[(DataType, Seq[Any])](
      FloatType -> Seq(1f, -2.5f, 0f),
      DoubleType -> Seq(1d, -2.5d, Double.MaxValue),
      IntegerType -> Seq(Int.MinValue, 0, 7),
      LongType -> Seq(Long.MinValue, 0L, 7L)
    )
    roundTrips(items.map { case (item, values) =>
      val lists = Seq(values, values.updated(1, null), values.reverse, Seq(null, null, null))
      Column(ArrayType(item, containsNull = true), lists, sized(3))
    })
  }

  test("vectors of many dimensions go out and come back") {
    val vectors = (0 until 300).map(i => Seq.tabulate(96)(j => (i * 96 + j).toFloat))
    roundTrips(Seq(Column(ArrayType(FloatType, containsNull = true), vectors, sized(96))))
  }

  test("a list of another length than the column's is refused, with both lengths") {
    val short = frame(Seq(Column(ArrayType(FloatType), Seq(Seq(1f, 2f)), sized(3))))
    val path = freshPath()
    val message = refusal(short.write.format("lance").save(path))
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
