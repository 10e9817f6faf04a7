package io.sparklance.spark.write

import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.LanceUsageException
import io.sparklance.data.{
  Column,
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  ListBlock,
  StructBlock,
  VariableBlock
}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.schema.{Field, LogicalTypes}

/** Rows that are appended together, against the same rows one by one. */
final class RowBufferSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  /** Spark's type, the table's, and values. */
  private type Kind = (DataType, String, Gen[Any])

  private val texts = Gen.oneOf(
    Gen.choose(0, 9).map("abcdefghi".take),
    Gen.choose(50, 80).map("é" * _),
    Gen.const("x" * 200)
  )

  private val kinds: Vector[Kind] = Vector(
    (BooleanType, "bool", Gen.oneOf(true, false)),
    (ByteType, "int8", Gen.choose(Byte.MinValue, Byte.MaxValue)),
    (ShortType, "int16", Gen.choose(Short.MinValue, Short.MaxValue)),
    (IntegerType, "int32", Gen.choose(Int.MinValue, Int.MaxValue)),
    (LongType, "int64", Gen.choose(Long.MinValue, Long.MaxValue)),
    (FloatType, "float", Gen.oneOf(-0f, 1.5f, Float.NaN, Float.NegativeInfinity)),
    (DoubleType, "double", Gen.oneOf(-0d, 1.5, Double.NaN, Double.MinValue)),
    (DateType, "date32:day", Gen.choose(-100000, 100000)),
    (TimestampType, "timestamp:us:UTC", Gen.choose(-1L << 50, 1L << 50)),
    (TimestampType, "timestamp:ms:UTC", Gen.choose(-1L << 40, 1L << 40).map(_ * 1000)),
    (DecimalType(18, 3), "decimal:128:18:3", Gen.choose(-1L << 55, 1L << 55).map(Decimal(_, 18, 3))),
    (DecimalType(38, 0), "decimal:128:38:0", Gen.choose(Long.MinValue, 0L).map(Decimal(_) * Decimal(99))),
    (ShortType, "uint8", Gen.choose(0.toShort, 255.toShort)),
    (StringType, "string", texts.map(UTF8String.fromString)),
    (BinaryType, "binary", texts.map(_.getBytes("UTF-16BE"))),
    (
      ArrayType(IntegerType),
      "fixed_size_list:int32:2",
      Gen.const(new GenericArrayData(Array[Any](3, null)))
    )
  )

  private def rows(of: Vector[Kind], count: Int, nullsOf10: Int): Gen[Vector[GenericInternalRow]] =
    Gen.listOfN(
      count,
      Gen.sequence[Vector[Any], Any](of.map(kind =>
        Gen.frequency[Any](10 - nullsOf10 -> kind._3, nullsOf10 -> Gen.const(null))
      ))
    ).map(_.map(values => new GenericInternalRow(values.toArray)).toVector)

  private def projection(of: Vector[Kind]): UnsafeProjection = UnsafeProjection.create(of.map(_._1).toArray)

  private def columns(of: Vector[Kind]): Vector[(ValueAppender, Column)] =
    of.zipWithIndex.map { case ((_, typeName, _), i) =>
      val field = Field(i, s"c$i", LogicalTypes.parse(typeName), nullable = true)
      val column = LeafColumn.ofNulls(field)
      RowToBlocks.appender(field, column, (_, _) => fail("no blobs")) -> column
    }

  private def contents(column: Column): Seq[Any] = {
    column.nulls.padTo(column.length)
    if (column.nulls.hasNulls) column.values.zeroNulls(column.nulls.orNull)
    values(column.values).zip((0 until column.length).map(column.nulls.isNull))
  }

  private def values(block: DataBlock): Seq[Any] = (0 until block.length).map { i =>
    block match {
      case b: Fixed8Block => b.values(i)
      case b: Fixed16Block => b.values(i)
      case b: Fixed32Block => b.values(i)
      case b: Fixed64Block => b.values(i)
      case b: FixedBytesBlock => b.bytes.slice(i * b.width, (i + 1) * b.width).toSeq
      case b: VariableBlock => b.bytes.slice(b.offsets(i), b.offsets(i + 1)).toSeq
      case b: FixedSizeListBlock =>
        (0 until b.dimension).map(j => (b.itemNulls.isNull(2 * i + j), values(b.items)(2 * i + j)))
      case _: StructBlock | _: ListBlock => fail("nested")
    }
  }

  private def check(of: Vector[Kind], rows: Vector[GenericInternalRow], together: Int): Unit = {
    val (expected, actual) = (columns(of), columns(of))
    val unsafe = projection(of)
    val buffer = new RowBuffer(1 << 20)
    rows.grouped(together).foreach { some =>
      some.foreach(row => buffer.add(unsafe(row)))
      actual.zipWithIndex.foreach { case ((appender, _), i) => appender.appendAll(buffer, i) }
      buffer.clear()
      some.foreach(row =>
        expected.zipWithIndex.foreach { case ((appender, _), i) => appender.append(row, i) }
      )
    }
    of.indices.foreach(i => assert(contents(actual(i)._2) == contents(expected(i)._2), of(i)._2))
  }

  test("rows together give the columns that they give one by one, with nulls or without") {
    forAll(Gen.oneOf(0, 1, 5, 10).flatMap(rows(kinds, 30, _)), Gen.choose(1, 30)) { (rows, together) =>
      check(kinds, rows, together)
    }
  }

  test("rows of many fields have their nulls in several words") {
    val of = Vector.tabulate(140)(i => kinds(i % kinds.size))
    forAll(rows(of, 8, 2), minSuccessful(5))(check(of, _, 3))
  }

  private def strings(texts: Array[Byte]*): (RowBuffer, Column) = {
    val of = Vector(kinds.find(_._2 == "string").get)
    val unsafe = projection(of)
    val buffer = new RowBuffer(1 << 12)
    texts.foreach(text => buffer.add(unsafe(new GenericInternalRow(Array[Any](UTF8String.fromBytes(text))))))
    val (appender, column) = columns(of).head
    appender.appendAll(buffer, 0)
    buffer -> column
  }

  test("each of several texts must be UTF-8 by itself") {
    val bytes = "aé".getBytes("UTF-8")
    assert(strings(bytes, bytes)._2.length == 2)
    val refused = intercept[LanceUsageException](strings(bytes, bytes.take(2), bytes.drop(2)))
    assert(refused.getMessage.contains("bytes that are not UTF-8: X'61c3'"))
  }

  test("rows outside of the heap are taken as well") {
    val row = projection(Vector(kinds(4)))(new GenericInternalRow(Array[Any](-7L)))
    val address = Platform.allocateMemory(row.getSizeInBytes.toLong)
    try {
      row.writeToMemory(null, address)
      val outside = new UnsafeRow(1)
      outside.pointTo(null, address, row.getSizeInBytes)
      val buffer = new RowBuffer(64)
      buffer.add(outside)
      assert(buffer.row(0) == row && buffer.word(0, 0) == -7L && !buffer.hasNulls(0))
    } finally Platform.freeMemory(address)
  }

  test("a buffer is full of rows, or of their bytes") {
    val row = projection(Vector(kinds(4)))(new GenericInternalRow(Array[Any](1L)))
    val (small, large) = (new RowBuffer(2 * row.getSizeInBytes), new RowBuffer(1 << 20))
    for ((buffer, most) <- Seq(small -> 2, large -> RowBuffer.MaxRows)) {
      while (buffer.hasRoomFor(row)) buffer.add(row)
      assert(buffer.length == most)
      buffer.clear()
      assert(buffer.length == 0 && buffer.hasRoomFor(row))
    }
  }
}
