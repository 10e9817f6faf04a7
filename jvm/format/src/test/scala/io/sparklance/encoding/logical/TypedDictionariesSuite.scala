package io.sparklance.encoding.logical

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceUsageException
import io.sparklance.data.{Column, FileVersion}
import io.sparklance.encoding.DictionaryNumbers
import io.sparklance.encoding.compression.FileDictionaries
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.proto.encodings.{CompressiveEncoding, MiniBlockLayout}
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.testkit.{ArrayPages, Blocks, Pages}

/** Pages of columns that are dictionaries by their type. */
class TypedDictionariesSuite extends AnyFunSuite {
  private val text = Utf8(large = false)
  private val indices =
    for (bits <- Seq(8, 16, 32, 64); signed <- Seq(true, false)) yield Integer(bits, signed)
  private val values: Seq[LogicalType] = Seq(
    Bool,
    Integer(8, signed = true),
    FloatingPoint(16),
    Integer(32, signed = false),
    FloatingPoint(64),
    text,
    Binary(large = true)
  )

  private def field(value: LogicalType, index: LogicalType): Field =
    Field(0, "d", Dictionary(value, index), nullable = true)

  private def column(field: Field, rows: Seq[Option[Any]]): Column =
    Blocks.column(PrimitiveField.shapeOf(field), rows)

  private def one(value: LogicalType, i: Int): Any = value match {
    case Bool => (i % 2).toLong
    case Utf8(_) | Binary(_) => s"value $i".getBytes.toVector
    case _ => i.toLong - 9
  }

  private def miniBlock(field: Field, rows: Seq[Option[Any]], version: FileVersion): MiniBlockLayout =
    PrimitiveField.encode(column(field, rows), field, version).layout.layout match {
      case Layout.MiniBlockLayout(layout) => layout
      case other => fail(s"a page of $other")
    }

  private def widthOf(encoding: CompressiveEncoding): Long = encoding.compression match {
    case Compression.Flat(flat) => flat.bitsPerValue
    case Compression.InlineBitpacking(packed) => packed.uncompressedBitsPerValue
    case Compression.Rle(rle) => widthOf(rle.getValues)
    case other => fail(s"positions of $other")
  }

  for {
    version <- FileVersion.writable
    (value, index) <- (values.map(_ -> Integer(16, signed = true)) ++ indices.map(text -> _)).distinct
  } test(s"dictionaries of $value by $index come back from $version") {
    val of = field(value, index)
    for ((count, nulls) <- Seq((1, false), (1, true), (100, true), (3000, false), (3000, true))) {
      val rows = Vector.tabulate(count)(i => Option.unless(nulls && i % 3 == 0)(one(value, i * 7 % 50)))
      assert(again(of, rows, version) == rows)
    }
  }

  private def again(field: Field, rows: Vector[Option[Any]], version: FileVersion): Vector[Option[Any]] = {
    val shape = PrimitiveField.shapeOf(field)
    version match {
      case FileVersion.V0_1 | FileVersion.V2_0 =>
        val page = FieldArrays.encode(column(field, rows), field).head
        val stored =
          ArrayPages(page.array.encoding, page.array.buffers, page.rows, DictionaryNumbers.FromZero)
        Blocks.rows(stored.read(shape))
      case FileVersion.V2_1 | FileVersion.V2_2 =>
        Blocks.rows(Pages.readAll(PrimitiveField.encode(column(field, rows), field, version), shape, version))
    }
  }

  for (version <- Pages.versions; index <- indices)
    test(s"there is a dictionary with positions as wide as $index in $version, whatever the values are") {
      val long = "x" * 5000
      for (
        texts <- Seq(Seq("a"), Seq.fill(500)("same"), Seq.tabulate(300)(i => s"${i % 100}"), Seq(long, long))
      ) {
        val layout = miniBlock(field(text, index), texts.map(t => Some(t.getBytes.toVector)), version)
        assert(layout.dictionary.isDefined && layout.numDictionaryItems == texts.distinct.size)
        assert(widthOf(layout.getValueCompression) == index.bits)
      }
    }

  test("all pages of a file together have no more values than an index can number") {
    val of = field(text, Integer(8, signed = true))
    def page(from: Int, dictionaries: FileDictionaries, version: FileVersion): Any = {
      val rows = column(of, Vector.tabulate(100)(i => Some(one(text, from + i))))
      version match {
        case FileVersion.V0_1 | FileVersion.V2_0 => FieldArrays.encode(rows, of, dictionaries)
        case FileVersion.V2_1 | FileVersion.V2_2 => PrimitiveField.encode(rows, of, version, dictionaries)
      }
    }
    for (version <- FileVersion.writable) {
      val dictionaries = new FileDictionaries
      Seq(0, 28, 0, 20).foreach(page(_, dictionaries, version))
      val error = intercept[LanceUsageException](page(29, dictionaries, version))
      assert(
        error.getMessage.contains(
          "Column 'd' is a dictionary whose index, of 8 bits, can distinguish 128 values"
        )
      )
    }
  }

  test("more values than an index can number are refused, with the column's name") {
    for ((index, most) <- Seq(Integer(8, signed = true) -> 128, Integer(8, signed = false) -> 256)) {
      val rows = Vector.tabulate(most + 1)(i => Some(one(text, i)))
      for (version <- FileVersion.writable) {
        assert(again(field(text, index), rows.init, version) == rows.init)
        val error = intercept[LanceUsageException](again(field(text, index), rows, version))
        assert(error.getMessage.startsWith(
          s"Column 'd' is a dictionary whose index, of 8 bits, can distinguish $most"
        ))
      }
      // In 2.0 a null is one of the items.
      val withNull = rows.init :+ None
      intercept[LanceUsageException](again(field(text, index), withNull, FileVersion.V2_0))
      assert(again(field(text, index), withNull, FileVersion.V2_2) == withNull)
    }
  }

}
