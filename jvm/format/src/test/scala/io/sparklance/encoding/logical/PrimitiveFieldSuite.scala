package io.sparklance.encoding.logical

import scala.util.Random

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.ValueShape.{FixedSizeList, FixedWidth, VariableWidth}
import io.sparklance.data.{FileVersion, RowRange, ValueShape}
import io.sparklance.encoding.EncodedPage
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.schema.{Field, LogicalType, TimeUnit}
import io.sparklance.testkit.{Blocks, Pages}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

class PrimitiveFieldSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 30)

  private def field(logicalType: LogicalType): Field = Field(0, "c", logicalType, nullable = true)

  private val types: Seq[(LogicalType, ValueShape)] = Seq(
    LogicalType.Bool -> FixedWidth(1),
    LogicalType.Integer(8, signed = true) -> FixedWidth(8),
    LogicalType.FloatingPoint(16) -> FixedWidth(16),
    LogicalType.Date32 -> FixedWidth(32),
    LogicalType.Integer(64, signed = false) -> FixedWidth(64),
    LogicalType.Timestamp(TimeUnit.Nanosecond, None) -> FixedWidth(64),
    LogicalType.Time(TimeUnit.Millisecond) -> FixedWidth(32),
    LogicalType.Decimal(128, 38, 4) -> FixedWidth(128),
    LogicalType.Decimal(256, 76, 4) -> FixedWidth(256),
    LogicalType.FixedSizeBinary(3) -> FixedWidth(24),
    LogicalType.FixedSizeBinary(300) -> FixedWidth(2400),
    LogicalType.Utf8(large = false) -> VariableWidth(32),
    LogicalType.Json -> VariableWidth(64),
    LogicalType.Dictionary(LogicalType.Bool, LogicalType.Integer(64, signed = true)) -> FixedWidth(1),
    LogicalType.Binary(large = true) -> VariableWidth(64),
    LogicalType.FixedSizeList(LogicalType.FloatingPoint(32), 4) -> FixedSizeList(4, FixedWidth(32)),
    LogicalType.FixedSizeList(LogicalType.FloatingPoint(64), 40) -> FixedSizeList(40, FixedWidth(64)),
    LogicalType.FixedSizeList(LogicalType.Bool, 3) -> FixedSizeList(3, FixedWidth(1))
  )

  /** Numbers are mostly small, so that they can be packed. */
  private def value(shape: ValueShape): Gen[Any] = shape match {
    case FixedWidth(1) => Gen.oneOf(0L, 1L)
    case FixedWidth(8) => Gen.choose(-128L, 127L)
    case FixedWidth(bits @ (16 | 32 | 64)) =>
      Gen.frequency(9 -> Gen.choose(0L, 1000L), 1 -> Gen.choose(-(1L << bits - 2), 1L << bits - 2))
    case FixedWidth(bits) => Gen.listOfN(bits / 8, Gen.choose[Byte](0, 9)).map(_.toVector)
    case VariableWidth(_) =>
      Gen.choose(0, 40).flatMap(n => Gen.listOfN(n, Gen.choose[Byte](-128, 127))).map(_.toVector)
    case FixedSizeList(dimension, items) => Gen.listOfN(dimension, value(items)).map(_.toVector)
    case ValueShape.Struct(_) => throw new IllegalArgumentException("packed structs are not written")
  }

  /** Random rows, with the stretches of equal ones and of nulls that pages are made of. */
  private def rows(shape: ValueShape): Gen[Vector[Option[Any]]] = for {
    distinct <- Gen.choose(1, 30).flatMap(n => Gen.listOfN(n, value(shape)))
    nullShare <- Gen.oneOf(0, 0, 1, 10, 99, 100)
    run <- Gen.oneOf(1, 1, 50)
    count <- Gen.oneOf(1, 2, 100, 1023, 1024, 1025, 2500)
    seed <- Gen.long
  } yield {
    val random = new scala.util.Random(seed)
    def row(): Option[Any] =
      if (random.nextInt(100) < nullShare) None else Some(distinct(random.nextInt(distinct.length)))
    Vector.fill(count / run + 1)(row()).flatMap(Vector.fill(run)(_)).take(count)
  }

  for ((logicalType, shape) <- types; version <- Pages.versions)
    test(s"pages of $logicalType come back from $version") {
      assert(PrimitiveField.shapeOf(field(logicalType)) == shape)
      forAll(rows(shape)) { expected =>
        val page = PrimitiveField.encode(Blocks.column(shape, expected), field(logicalType), version)
        assert(page.rows == expected.length)
        assert(Blocks.rows(Pages.readAll(page, shape, version)) == expected)
        val (from, to) = (expected.length / 3, expected.length / 3 + expected.length / 2 + 1)
        val some = RowRange(from.toLong, math.min(to, expected.length).toLong)
        val part = Pages.read(Pages.store(page), shape, version, some, targetBytes = 1000)
        assert(Blocks.rows(part) == expected.slice(from, to))
      }
    }

  test("columns that are not primitive are refused by type and name") {
    val refused = Seq(
      LogicalType.Struct -> "struct",
      LogicalType.List(large = false, ofStruct = false) -> "list",
      LogicalType.Map -> "map",
      LogicalType.Unknown("union") -> "union",
      LogicalType.FixedSizeList(LogicalType.Struct, 2) -> "struct"
    )
    refused.foreach { case (logicalType, name) =>
      val error = intercept[UnsupportedLanceFeatureException](PrimitiveField.shapeOf(field(logicalType)))
      assert(error.feature == s"type $name (of column 'c')")
    }
  }

  test("blobs are descriptors, and only bytes can be blobs") {
    val marked = Map("lance-encoding:blob" -> "true")
    val v1 = ValueShape.Struct(Vector(FixedWidth(64), FixedWidth(64)))
    assert(PrimitiveField.shapeOf(field(LogicalType.Blob)) == v1)
    assert(PrimitiveField.shapeOf(field(LogicalType.Binary(large = true)).copy(metadata = marked)) == v1)
    val v2 = field(LogicalType.Struct).copy(metadata = Map("ARROW:extension:name" -> "lance.blob.v2"))
    val widths = Vector(FixedWidth(8), FixedWidth(64), FixedWidth(64), FixedWidth(32), VariableWidth(32))
    assert(PrimitiveField.shapeOf(v2) == ValueShape.Struct(widths))
    val text = field(LogicalType.Utf8(large = false)).copy(metadata = marked)
    val error = intercept[UnsupportedLanceFeatureException](PrimitiveField.shapeOf(text))
    assert(error.feature == "type blob of string (of column 'c')")
  }

  test("a fixed-size binary whose bits cannot be counted is refused") {
    val largest = LogicalType.FixedSizeBinary(Int.MaxValue / 8)
    assert(PrimitiveField.shapeOf(field(largest)) == FixedWidth(Int.MaxValue / 8 * 8))
    val error = intercept[UnsupportedLanceFeatureException](
      PrimitiveField.shapeOf(field(LogicalType.FixedSizeBinary(1 << 29)))
    )
    assert(error.feature == "type fixed_size_binary of 536870912 bytes (of column 'c')")
  }

  private val ints = (LogicalType.Integer(32, signed = true), FixedWidth(32))
  private val strings = (LogicalType.Utf8(large = false), VariableWidth(32))

  private def encode(
      column: (LogicalType, ValueShape),
      rows: Seq[Option[Any]],
      version: FileVersion
  ): EncodedPage =
    PrimitiveField.encode(Blocks.column(column._2, rows), field(column._1), version)

  test("the content of null slots is not written") {
    val texts = Seq("a", "secret", "c").map(text => Some(text.getBytes.toSeq))
    val column = Blocks.column(strings._2, texts)
    column.nulls.clear()
    column.nulls.appendValid(1)
    column.nulls.appendNull(1)
    column.nulls.appendValid(1)
    val page = PrimitiveField.encode(column, field(strings._1), FileVersion.V2_2)
    assert(!page.buffers.exists(b => new String(b.toArray, "ISO-8859-1").contains("secret")))
    val read = Blocks.rows(Pages.readAll(page, strings._2, FileVersion.V2_2))
    assert(read == Vector(Some(Vector[Byte]('a')), None, Some(Vector[Byte]('c'))))
  }

  test("the layout follows the values: nulls only, one value, long values, any other") {
    def layout(column: (LogicalType, ValueShape), rows: Seq[Option[Any]], version: FileVersion): String =
      encode(column, rows, version).layout.layout.getClass.getSimpleName
    def text(n: Int): Option[Any] = Some(Vector.fill(n)('x'.toByte))
    assert(layout(ints, Seq(None, None), FileVersion.V2_1) == "ConstantLayout")
    assert(layout(ints, Seq(Some(1L), None, Some(1L)), FileVersion.V2_2) == "ConstantLayout")
    assert(layout(ints, Seq(Some(1L), None, Some(1L)), FileVersion.V2_1) == "MiniBlockLayout")
    // The levels of a page of one value are not compressed.
    val one = Vector.tabulate(1000)(i => Option.when(i % 10 > 0)(1L))
    assert(layout(ints, one, FileVersion.V2_2) == "MiniBlockLayout")
    assert(layout(ints, one.map(_ => Some(1L)), FileVersion.V2_2) == "ConstantLayout")
    assert(encode(ints, one, FileVersion.V2_2).buffers.map(_.length).sum < 300)
    assert(layout(ints, Seq(Some(1L), Some(2L)), FileVersion.V2_2) == "MiniBlockLayout")
    assert(layout(strings, Seq(text(255), text(1)), FileVersion.V2_2) == "MiniBlockLayout")
    assert(layout(strings, Seq(text(256), text(1)), FileVersion.V2_2) == "FullZipLayout")
  }

  test("values are compressed by what suits them") {
    val random = new Random(3)
    def compression(values: Seq[Long]): String = {
      val layout = encode(ints, values.map(Some(_)), FileVersion.V2_2).layout.getMiniBlockLayout
      layout.getValueCompression.compression.getClass.getSimpleName
    }
    assert(compression((0L until 2000L).map(_ => random.nextInt(10).toLong)) == "InlineBitpacking")
    assert(compression((0L until 2000L).map(_ / 500)) == "Rle")
    assert(compression((0L until 2000L).map(_ => random.nextInt().toLong)) == "Flat")
    assert(compression(Seq(1L, 2L)) == "Flat")
  }

  test("levels are stored only for nulls, as runs where these are fewer (since 2.2)") {
    def levels(isNull: Int => Boolean, version: FileVersion): Option[Compression] = {
      val rows = Vector.tabulate(3000)(i => Option.unless(isNull(i))(i % 5L))
      encode(ints, rows, version).layout.getMiniBlockLayout.defCompression.map(_.compression)
    }
    assert(levels(_ => false, FileVersion.V2_2).isEmpty)
    assert(levels(_ == 77, FileVersion.V2_2).exists(_.isRle))
    assert(levels(_ == 77, FileVersion.V2_1).exists(_.isOutOfLineBitpacking))
    val random = new scala.util.Random(7)
    val half = Vector.fill(3000)(random.nextBoolean())
    assert(levels(half, FileVersion.V2_2).exists(_.isOutOfLineBitpacking))
  }

  test("nulls in a column that must not have any are refused") {
    val strict = field(ints._1).copy(nullable = false)
    val error = intercept[LanceUsageException] {
      PrimitiveField.encode(Blocks.column(ints._2, Seq(None)), strict, FileVersion.V2_2)
    }
    assert(error.getMessage.startsWith("column 'c' was given nulls, which its schema does not allow"))
  }
}
