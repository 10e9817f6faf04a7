package io.sparklance.encoding.logical

import scala.util.Random

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.{Column, FileVersion}
import io.sparklance.encoding.EncodedPage
import io.sparklance.proto.encodings.CompressiveEncoding
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{Field, Leaf, LogicalType}
import io.sparklance.testkit.{Blocks, Pages}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Packed structs that we write. */
class PackedStructsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  import PackedStructsSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 40)

  for {
    (name, version, kinds) <- Seq(
      ("words", FileVersion.V2_1, words),
      ("words", FileVersion.V2_2, words),
      ("mixed", FileVersion.V2_2, mixed),
      ("wide", FileVersion.V2_2, Vector(int32, FixedSizeBinary(5000))),
      ("vectors", FileVersion.V2_2, Vector(FixedSizeList(FloatingPoint(32), 3), int32))
    )
  } test(s"packed structs of $name come back from $version, whatever their number and nulls") {
    val cases = for {
      rows <- Gen.oneOf(1, 2, 255, 1024, 1025, 3000)
      nulls <- Gen.oneOf(0, 0, 1, 50, 100)
      seed <- Gen.long
    } yield (rows, nulls, seed)
    forAll(cases) { case (rows, nulls, seed) =>
      val random = new Random(seed)
      val field = packed(kinds: _*)
      val count = if (name == "wide") rows / 20 + 1 else rows
      val values = Vector.fill(count)(Option.unless(random.nextInt(100) < nulls)(value(random, field)))
      val page = PrimitiveField.encode(column(field, values), field, version)
      val shape = PrimitiveField.shapeOf(field)
      assert(Blocks.rows(Pages.readAll(page, shape, version)) == values)
    }
  }

  for (version <- Seq(FileVersion.V2_1, FileVersion.V2_2))
    test(s"words are packed as pylance does in $version") {
      val golden = Pages.allGolden.find(g => g.name == "packed" && g.version == version).get.page
      val field = packed(int32, FloatingPoint(64), Integer(8, signed = false), FixedSizeBinary(3), int16)
      val ours = again(golden, field, version)
      assert(valueCompression(ours) == valueCompression(golden))
      assert(lastBytes(ours, 70 * 18) == lastBytes(golden, 70 * 18))
    }

  test("structs of fields that vary in width are packed as pylance does") {
    val golden = Pages.golden("packed_variable")
    val field = packed(
      int32,
      Utf8(large = false),
      Binary(large = true),
      FixedSizeList(int16, 2),
      FixedSizeList(Bool, 8)
    )
    val ours = again(golden, field, FileVersion.V2_2)
    assert(ours.layout == golden.layout)
    // A bitmap of pylance has any bits behind those of the two items.
    val different = ours.buffers.zip(golden.buffers).map { case (a, b) =>
      assert(a.length == b.length)
      (0 until a.length).filter(i => a.unsignedByte(i) != b.unsignedByte(i)).map(i =>
        a.unsignedByte(i) ^ (b.unsignedByte(i) & 3)
      )
    }
    assert(different.map(_.filter(_ != 0).size) == Vector(0, 0))
  }

  test("fields that are null in a struct that is not are refused by name") {
    val field = packed(int32, Utf8(large = false))
    val rows = Vector(Some(Vector(Some(1L), Some(Vector.empty))), None, Some(Vector(Some(1L), None)))
    val error = intercept[LanceUsageException](encode(field, rows, FileVersion.V2_2))
    assert(error.getMessage.startsWith("Column 'p.f1' is a field of a packed struct and cannot be NULL"))
    assert(encode(field, rows.take(2), FileVersion.V2_2).rows == 2)
  }

  test("fields that a version cannot pack are refused by name") {
    def refused(version: FileVersion, kinds: LogicalType*): String = intercept[RuntimeException] {
      FieldPages.refuseUnwritable(Leaf(Vector.empty, packed(kinds: _*)), version)
    } match {
      case usage: LanceUsageException => usage.getMessage
      case unsupported: UnsupportedLanceFeatureException => unsupported.feature
      case other => throw other
    }
    for (version <- FileVersion.writable) {
      assert(refused(version, int32, Bool) == "writing packed structs of booleans (column 'p')")
      assert(refused(version, FixedSizeList(Bool, 9)) == "writing packed structs of booleans (column 'p')")
      assert(refused(version, Null) == "writing packed structs of nulls (column 'p')")
      assert(refused(version, Dictionary(int32, int8)) ==
        "writing packed structs of dictionaries (column 'p')")
    }
    assert(refused(FileVersion.V2_0, Utf8(large = false)).contains("in whole bytes, and fixed-size lists"))
    assert(refused(FileVersion.V2_1, FixedSizeList(int32, 2)).contains("only values of one width, of 4 KiB"))
    assert(refused(FileVersion.V2_1, FixedSizeBinary(4097)).contains("only values of one width, of 4 KiB"))
  }

  private def valueCompression(page: EncodedPage): CompressiveEncoding = page.layout.layout match {
    case Layout.MiniBlockLayout(layout) => layout.getValueCompression
    case other => fail(s"a page of $other")
  }

  /** The values of a page of one chunk, which is padded to 8 bytes. */
  private def lastBytes(page: EncodedPage, size: Int): Vector[Byte] =
    page.buffers(1).toArray.toVector.takeRight((size + 7) / 8 * 8).take(size)

  private def encode(field: Field, rows: Vector[Option[Any]], version: FileVersion): EncodedPage =
    FieldPages.encode(column(field, rows), Vector(Leaf(Vector.empty, field)), version).head.head

  /** A page as we would have written it. */
  private def again(golden: EncodedPage, field: Field, version: FileVersion): EncodedPage = {
    val shape = PrimitiveField.shapeOf(field)
    PrimitiveField.encode(Pages.readAll(golden, shape, version), field, version)
  }
}

private object PackedStructsSuite {
  val int8: LogicalType = Integer(8, signed = true)
  val int16: LogicalType = Integer(16, signed = true)
  val int32: LogicalType = Integer(32, signed = true)
  val words: Vector[LogicalType] =
    Vector(int32, int8, FloatingPoint(64), int16, FixedSizeBinary(3), Decimal(128, 20, 3))
  val mixed: Vector[LogicalType] = Vector(
    Utf8(large = false),
    int16,
    Binary(large = true),
    FixedSizeList(FloatingPoint(32), 2),
    FixedSizeBinary(5)
  )

  def packed(kinds: LogicalType*): Field = {
    val children = kinds.toVector.zipWithIndex.map { case (kind, i) =>
      Field(i + 1, s"f$i", kind, nullable = true)
    }
    Field(0, "p", Struct, nullable = true, children, Predef.Map("lance-encoding:packed" -> "true"))
  }

  def column(field: Field, rows: Vector[Option[Any]]): Column = {
    val column = LeafColumn.ofNulls(field)
    rows.foreach(Blocks.appendRow(column, _))
    column
  }

  def value(random: Random, field: Field): Vector[Option[Any]] = field.children.map { child =>
    Some(child.logicalType match {
      case Utf8(_) | Binary(_) => bytes(random, random.nextInt(30))
      case FixedSizeBinary(width) => bytes(random, width)
      case Decimal(_, _, _) => bytes(random, 16)
      case FixedSizeList(_, size) => Vector.fill(size)(random.nextInt(100).toLong)
      case _ => random.nextInt(100).toLong
    })
  }

  private def bytes(random: Random, size: Int): Vector[Byte] = Vector.fill(size)(random.nextInt(26).toByte)
}
