package io.sparklance.encoding.logical

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.{Column, RowRange, ValueShape}
import io.sparklance.encoding.EncodedArrayPage
import io.sparklance.proto.encodings20.ArrayEncoding
import io.sparklance.schema.{Field, Leaf, LogicalType}
import io.sparklance.testkit.{ArrayPages, Blocks, ColumnText, RandomColumns}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Pages of version 2.0 that we write. */
class FieldArraysSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  import FieldArraysSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 30)

  for (logicalType <- RandomColumns.types)
    test(s"pages of $logicalType come back, whatever their size and nulls") {
      val cases = for {
        rows <- Gen.oneOf(1, 7, 8, 9, 255, 256, 1000)
        nulls <- Gen.oneOf(0.0, 0.01, 0.5, 1.0)
        pattern <- Gen.oneOf(RandomColumns.patterns)
        seed <- Gen.long
      } yield (rows, nulls, pattern, seed)
      forAll(cases) { case (rows, nulls, pattern, seed) =>
        val field = Field(0, "c", logicalType, nullable = true)
        val column = RandomColumns.column(field)
        RandomColumns.fill(column, field, rows, pattern, nulls, new scala.util.Random(seed))
        val expected = ColumnText.of(column, rows)
        val page = FieldArrays.encode(column, field).head
        assert(page.rows == rows)
        val shape = PrimitiveField.shapeOf(field)
        assert(ColumnText.of(stored(page).read(shape), rows) == expected)
        val (from, to) = (rows / 3, math.min(rows, rows / 3 + rows / 2 + 1))
        val part = stored(page).read(shape, RowRange(from.toLong, to.toLong), targetBytes = 100)
        assert(ColumnText.of(part, to - from) == expected.slice(from, to))
      }
    }

  test("strings have a dictionary where that is smaller and a byte can number them") {
    def isDictionary(rows: Int, distinct: Int, text: Int => String): Boolean =
      encoding(texts, strings((0 until rows).map(i => text(i % distinct)))).arrayEncoding.isDictionary
    assert(isDictionary(1000, 255, i => s"word $i"))
    assert(!isDictionary(1000, 256, i => s"word $i"))
    assert(!isDictionary(3, 3, i => s"$i"))
    assert(isDictionary(3, 1, _ => "a word"))
    assert(!isDictionary(255, 255, i => s"word $i"))
    val bytes = encoding(field(LogicalType.Binary(large = false)), strings(Seq.fill(9)("same"))).arrayEncoding
    assert(bytes.isBinary)
  }

  test("a dictionary of as many items as there can be, with nulls, comes back") {
    val rows = Vector.tabulate(2000)(i => Option.unless(i % 7 == 0)(s"word ${i % 255}".getBytes.toVector))
    val page = FieldArrays.encode(Blocks.column(ofStrings, rows), texts).head
    assert(page.array.encoding.getDictionary.numDictionaryItems == 255)
    assert(Blocks.rows(stored(page).read(ofStrings)) == rows)
  }

  for (scheme <- Seq("zstd", "lz4"))
    test(s"the bytes of strings are compressed by $scheme if their column's metadata asks for it") {
      val words = (0 until 2000).map(i => s"the quick brown fox number $i")
      val asking = texts.copy(metadata = Map("lance-encoding:compression" -> scheme))
      val page = FieldArrays.encode(strings(words), asking).head
      assert(page.array.encoding.getBinary.getBytes.getFlat.getCompression.scheme == scheme)
      assert(page.array.buffers.last.length < words.map(_.length).sum / 3)
      assert(Blocks.strings(stored(page).read(ofStrings).values) == words)
    }

  test("each field has a page, parents before their children") {
    val point = Field(0, "c", LogicalType.Struct, nullable = true, Vector(list("l", int("item")), int("x")))
    val rows = Vector(
      Some(Vector(Some(Vector(Some(1L), None)), None)),
      Some(Vector(None, Some(2L))),
      Some(Vector(Some(Vector.empty), Some(3L)))
    )
    val column = LeafColumn.ofNulls(point)
    rows.foreach(Blocks.appendRow(column, _))
    val pages = FieldArrays.encode(column, point)
    assert(pages.map(_.rows) == Vector(3, 3, 2, 3))
    assert(pages(0).array.encoding.arrayEncoding.isStruct && pages(0).array.buffers.isEmpty)
    val lists = pages(1).array.encoding.getList
    assert((lists.numItems, lists.nullOffsetAdjustment) == ((2L, 3L)))
    // The second list is null: it ends at 2, and 3 is added. Three bits hold an end.
    assert(pages(1).array.buffers.map(_.toArray.toVector) == Vector(Vector(0xaa.toByte, 0.toByte)))
  }

  test("words of any width are packed where that saves a fifth, but not to 3, 5 or 6 whole bytes") {
    for (width <- 0 to 52) {
      val long = field(LogicalType.Integer(64, signed = true))
      val column = LeafColumn.ofNulls(long)
      (0 until 99).foreach(i => Blocks.appendRow(column, Some((1L << width) - 1 >> i % 9)))
      val expected = Blocks.rows(column)
      val page = FieldArrays.encode(column, long).head
      val values = page.array.encoding.getNullable.getNoNulls.getValues
      val packed = if (Set(24, 40, 48)(width)) width + 1 else math.max(1, width)
      assert(values.getBitpacked.compressedBitsPerValue == (if (packed > 51) 0 else packed))
      assert(Blocks.rows(stored(page).read(ValueShape.FixedWidth(64))) == expected)
    }
  }

  test("nulls are refused where the schema has none, by the full name") {
    val field = list("c", int("item").copy(nullable = false))
    val column = LeafColumn.ofNulls(field)
    Blocks.appendRow(column, Some(Vector(None)))
    val error = intercept[LanceUsageException](FieldArrays.encode(column, field))
    assert(error.getMessage.contains("'c.item'"))
  }

  test("types that 2.0 stores in its own way are refused by name") {
    val lists = LogicalType.FixedSizeList(LogicalType.Utf8(large = false), 2)
    val structs = LogicalType.FixedSizeList(LogicalType.Struct, 2)
    for (leaf <- Vector(Leaf(Vector.empty, field(lists)), Leaf(Vector(field(structs)), texts))) {
      val error = intercept[UnsupportedLanceFeatureException](FieldArrays.refuseUnwritable(leaf))
      assert(error.feature.contains("2.0 (column 'c"))
    }
  }
}

private object FieldArraysSuite {
  private val ofStrings = ValueShape.VariableWidth(32)
  private val texts = field(LogicalType.Utf8(large = false))

  private def field(logicalType: LogicalType): Field = Field(0, "c", logicalType, nullable = true)
  private def int(name: String): Field = field(LogicalType.Integer(32, signed = true)).copy(name = name)
  private def list(name: String, item: Field): Field =
    Field(0, name, LogicalType.List(large = false, ofStruct = false), nullable = true, Vector(item))

  private def strings(values: Iterable[String]): Column =
    Blocks.column(ofStrings, values.map(v => Some(v.getBytes.toVector)))

  private def encoding(field: Field, column: Column): ArrayEncoding =
    FieldArrays.encode(column, field).head.array.encoding

  private def stored(page: EncodedArrayPage): ArrayPages =
    ArrayPages(page.array.encoding, page.array.buffers, page.rows)
}
