package io.sparklance.encoding.v20

import scala.io.Source
import scala.util.{Try, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.ValueShape.{FixedSizeList, FixedWidth, Struct, VariableWidth}
import io.sparklance.data.{Column, FixedSizeListBlock, RowRange, Slice, ValueShape}
import io.sparklance.encoding.DictionaryNumbers
import io.sparklance.encoding.compression.FileDictionaries
import io.sparklance.proto.encodings20.{ArrayEncoding, Buffer, Dictionary, Flat, Nullable}
import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.testkit.{ArrayPages, Blocks, Hex, Hostile}
import io.sparklance.{LanceException, LanceFormatException, UnsupportedLanceFeatureException}

/** Pages of version 2.0 that several releases of pylance wrote; `tests/golden/arrays.py` made
  * golden-arrays.txt and says which values they have.
  */
class ArrayPageSuite extends AnyFunSuite {
  import ArrayPageSuite._

  private val (slotless, golden) =
    Using.resource(Source.fromResource("golden-arrays.txt"))(
      _.getLines().filterNot(_.startsWith("#")).toVector
    ).map { line =>
      val fields = line.split(' ')
      val encoding = ArrayEncoding.parseFrom(Hex.slice(fields(3)).toArray)
      val buffers = fields.drop(4).map(hex => Hex.slice(hex.stripPrefix("-"))).toVector
      val numbers =
        if (fields(0).startsWith("keyed")) DictionaryNumbers.FromZero else DictionaryNumbers.FromOne
      Golden(fields(0), fields(1), ArrayPages(encoding, buffers, fields(2).toLong, numbers))
    }.partition(page => page.name == "hex_nullable" && page.release == "0.18.2")

  test("all golden pages are there") {
    assert(golden.map(_.name).toSet == columns.keySet)
  }

  golden.zipWithIndex.foreach { case (one @ Golden(name, release, page), number) =>
    val title = s"$name of pylance $release (page $number)"

    test(s"$title has the values that were written") {
      assert(Blocks.rows(page.read(one.shape)) == one.rows)
    }

    test(s"$title: any rows can be read alone, in small steps") {
      for {
        start <- Seq(0L, 1L, 7L, page.rows / 2, page.rows - 1)
        length <- Seq(1L, 8L, 31L, page.rows)
        wanted = RowRange(start, math.min(start + length, page.rows))
        targetBytes <- Seq(1, 100, 1 << 20)
      } {
        val read = Blocks.rows(page.read(one.shape, wanted, targetBytes))
        assert(read == one.rows.slice(wanted.start.toInt, wanted.end.toInt), (wanted, targetBytes))
      }
    }

    test(s"$title is refused or read in full, whichever byte is wrong") {
      page.buffers.indices.foreach { i =>
        val bytes = page.buffers(i).toArray
        for (at <- bytes.indices by math.max(1, bytes.length / 100); mask <- Seq(1, 0x80, 0xff))
          readOrRefuse(one, page.withBuffer(i, bytes.updated(at, (bytes(at) ^ mask).toByte)))
      }
    }

    test(s"$title is refused or read in full, whichever bit of its description is wrong") {
      Hostile.flips(page.encoding.toByteArray.take(200)).foreach { bytes =>
        Try(ArrayEncoding.parseFrom(bytes ++ page.encoding.toByteArray.drop(200))).foreach { encoding =>
          readOrRefuse(one, page.copy(encoding = encoding))
        }
      }
    }

    test(s"$title is refused when a buffer is shorter") {
      page.buffers.indices.foreach { i =>
        val bytes = page.buffers(i).toArray
        for (length <- bytes.indices by math.max(1, bytes.length / 50))
          intercept[LanceException](page.withBuffer(i, bytes.take(length)).read(one.shape))
      }
    }

    test(s"$title is refused when it claims more rows") {
      if (page.buffers.nonEmpty)
        for (rows <- Seq(page.rows + 2048, Int.MaxValue.toLong, Long.MaxValue))
          intercept[LanceException](page.copy(rows = rows).read(one.shape))
    }
  }

  test(
    "pages of pylance 0.18.2 in which the slots of nulls are missing are refused, whichever rows are wanted"
  ) {
    for (Golden(_, _, page) <- slotless; wanted <- Seq(RowRange(0, 1), RowRange(0, page.rows))) {
      val error = intercept[LanceFormatException](page.read(VariableWidth(32), wanted))
      assert(error.reason == "rows [149, 150) of 64 bits are not in a buffer of 1080 bytes")
    }
    assert(slotless.size == 1)
  }

  golden.filter(page => page.release == "14.0.2" && writtenAlike(page.name)).foreach { golden =>
    test(s"${golden.name} is written as pylance 14.0.2 does, to the bit") {
      val column = Blocks.column(golden.shape, golden.rows)
      val written =
        ArrayStrategy.encode(
          column,
          golden.shape,
          Field(0, "c", LogicalType.Binary(large = true), nullable = true),
          "c",
          new FileDictionaries
        )
      assert(written.encoding.toByteString == golden.page.encoding.toByteString)
      assert(written.buffers.map(_.toArray.toVector) == golden.page.buffers.map(_.toArray.toVector))
    }
  }

  test("small numbers are written as pylance 0.17.0 did, to the bit") {
    for (name <- Seq("int32", "uint8", "int64_nullable")) {
      val one = golden.find(one => one.name == name && one.release == "0.17.0").get
      val logicalType = one.shape match {
        case FixedWidth(bits) => LogicalType.Integer(bits, signed = name != "uint8")
        case other => fail(s"numbers of $other")
      }
      val written =
        ArrayStrategy.encode(
          Blocks.column(one.shape, one.rows),
          one.shape,
          Field(0, "c", logicalType, nullable = true),
          "c",
          new FileDictionaries
        )
      assert(written.encoding.toProtoString == one.page.encoding.toProtoString)
      assert(written.buffers.map(_.toArray.toVector) == one.page.buffers.map(_.toArray.toVector))
    }
  }

  test("items of lists are null where they were written so") {
    val Golden(_, _, page) = golden.find(_.name == "lists_item_null").get
    page.read(FixedSizeList(3, FixedWidth(32))).values match {
      case lists: FixedSizeListBlock =>
        val nulls = (0 until 3 * lists.length).filter(lists.itemNulls.isNull)
        // A null list has no items, for Arrow: nulls.
        val expected = (0 until lists.length).filter(i => i % 4 == 1 && i % 10 != 9).map(3 * _ + 1)
        assert(nulls.filter(_ / 3 % 10 != 9) == expected)
      case other => fail(other.toString)
    }
  }

  test("a number that is not in the dictionary is refused, however its numbers are meant") {
    val flat = ArrayEncoding().withFlat(Flat(8, Some(Buffer())))
    val items = ArrayEncoding().withFlat(Flat(16, Some(Buffer(1))))
    val dictionary =
      ArrayEncoding().withDictionary(Dictionary(Some(flat), Some(items), numDictionaryItems = 2))
    def read(number: Int, numbers: DictionaryNumbers): Vector[Option[Any]] = Blocks.rows(
      ArrayPages(dictionary, Vector(Slice(Array(number.toByte)), Hex.slice("0a00 0b00")), 1, numbers)
        .read(FixedWidth(16))
    )
    assert((0 to 1).map(read(_, DictionaryNumbers.FromZero).head) == Seq(Some(10L), Some(11L)))
    assert((0 to 2).map(read(_, DictionaryNumbers.FromOne).head) == Seq(None, Some(10L), Some(11L)))
    intercept[LanceFormatException](read(2, DictionaryNumbers.FromZero))
    intercept[LanceFormatException](read(3, DictionaryNumbers.FromOne))
  }

  test("nulls need no dictionary, and other numbers do") {
    val flat = ArrayEncoding().withFlat(Flat(8, Some(Buffer())))
    val valid = ArrayEncoding().withFlat(Flat(1, Some(Buffer(2))))
    val some = Nullable.SomeNull(validity = Some(valid), values = Some(flat))
    val items = ArrayEncoding().withFlat(Flat(16, Some(Buffer(1))))
    val dictionary = ArrayEncoding().withDictionary(
      Dictionary(Some(ArrayEncoding().withNullable(Nullable().withSomeNulls(some))), Some(items))
    )
    def read(validity: String) = Blocks.rows(
      ArrayPages(
        dictionary,
        Vector("0000", "", validity).map(Hex.slice),
        2,
        DictionaryNumbers.FromZero
      ).read(FixedWidth(16))
    )
    assert(read("00") == Seq(None, None))
    intercept[LanceFormatException](read("02"))
  }

  test("a dictionary of more items than memory should hold is refused before it is decoded") {
    val flat = ArrayEncoding().withFlat(Flat(8, Some(Buffer())))
    val nulls = ArrayEncoding().withNullable(Nullable().withAllNulls(Nullable.AllNull()))
    val dictionary = Dictionary(Some(flat), Some(nulls), numDictionaryItems = Int.MaxValue)
    val page = ArrayPages(ArrayEncoding().withDictionary(dictionary), Vector(Slice(new Array[Byte](8))), 8)
    val e = intercept[LanceFormatException](page.read(VariableWidth(32)))
    assert(e.reason == s"a dictionary of ${Int.MaxValue} items")
  }

  private def readOrRefuse(golden: Golden, page: ArrayPages): Unit =
    try {
      val read: Column = page.read(golden.shape)
      assert(read.length == page.rows)
      ()
    } catch {
      case _: LanceFormatException | _: UnsupportedLanceFeatureException => ()
    }
}

private object ArrayPageSuite {

  final case class Golden(name: String, release: String, page: ArrayPages) {
    val (shape, row) = columns(name)
    def rows: Vector[Option[Any]] = (0 until page.rows.toInt).map(row).toVector
  }

  type Row = Int => Option[Any]

  /** Others hold items of null lists that are null, or numbers that we pack. */
  private val writtenAlike = Set(
    "all_null",
    "bool_nullable",
    "decimal_nullable",
    "lists_of_bools",
    "lists_of_lists",
    "packed"
  )

  private val words = "the quick brown fox jumps over a lazy dog while nobody looks".split(' ').toVector
  private val strings = VariableWidth(32)

  private def nthNull(row: Int => Any): Row = i => Option.unless(i % 10 == 9)(row(i))
  private def text(value: String): Vector[Byte] = value.getBytes("UTF-8").toVector
  private def bit(value: Boolean): Long = if (value) 1L else 0L
  private def decimal(value: Int): Vector[Byte] =
    Vector.tabulate(16)(i => if (i < 4) (value >> 8 * i).toByte else (value >> 31).toByte)
  private def sentence(i: Int): Vector[Byte] =
    text((0 until 30).map(j => words(i * j % words.size)).mkString(" "))

  val columns: Map[String, (ValueShape, Row)] = Map(
    "int32" -> (FixedWidth(32) -> (i => Some(i * 7L % 100))),
    "int16_signed" -> (FixedWidth(16) -> (i => Some(i * 7L % 100 - 50))),
    "int64_nullable" -> (FixedWidth(64) -> nthNull(i => i * 7L % 1000)),
    "uint8" -> (FixedWidth(8) -> (i => Some(i % 4L))),
    "strings" -> (strings -> nthNull(i => text(s"v$i" * (i % 3)))),
    "hex" -> (strings -> (i => Some(text(f"${i * 7919}%08x")))),
    "hex_nullable" -> (strings -> nthNull(i => text(f"${i * 7919}%08x"))),
    "words" -> (strings -> nthNull(i => text(words(i % 5)))),
    "bool_nullable" -> (FixedWidth(1) -> nthNull(i => bit(i % 3 == 0))),
    "decimal_nullable" -> (FixedWidth(128) -> nthNull(i => decimal(i - 20))),
    "all_null" -> (FixedWidth(32) -> (_ => None)),
    "all_null_strings" -> (strings -> (_ => None)),
    "large_binary" -> (VariableWidth(64) -> (i => Some(Vector.fill(i)(0.toByte)))),
    "lists_item_null" ->
      (FixedSizeList(3, FixedWidth(32)) ->
        nthNull(i => Vector(i.toLong, if (i % 4 == 1) 0L else -i.toLong, 7L))),
    "lists_of_lists" ->
      (FixedSizeList(2, FixedSizeList(2, FixedWidth(16))) ->
        (i => Some(Vector(Vector(i.toLong, 1L), Vector(2L, 3L))))),
    "lists_of_bools" ->
      (FixedSizeList(3, FixedWidth(1)) -> (i => Some(Vector(bit(i % 2 == 0), 1L, 0L)))),
    "fsst" -> (strings -> nthNull(sentence)),
    "fsst_off" -> (strings -> nthNull(sentence)),
    "zstd" -> (strings -> nthNull(sentence)),
    "lz4" -> (strings -> nthNull(sentence)),
    "none" -> (strings -> nthNull(sentence)),
    "keyed_words" -> (strings -> nthNull(i => text(words(i % 5)))),
    "keyed_numbers" -> (FixedWidth(64) -> (i => Vector(Some(-5L), None, Some(1000000000000L))(i * 7 % 3))),
    "packed" ->
      (Struct(
        Vector(
          FixedWidth(64),
          FixedWidth(16),
          FixedSizeList(2, FixedSizeList(3, FixedWidth(32))),
          FixedWidth(24)
        )
      ) ->
        (i =>
          Some(
            Vector(
              Some(-1L - i),
              Some(i - 9L),
              Some(Vector(Vector(i.toLong, 1L, 2L), Vector(3L, 4L, -i.toLong))),
              Some(Vector.fill(3)(i.toByte))
            )
          )
        ))
  )
}
