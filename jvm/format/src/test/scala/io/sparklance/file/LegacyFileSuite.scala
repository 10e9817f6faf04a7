package io.sparklance.file

import java.nio.file.{Files, Paths}

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{FileVersion, RowRange}
import io.sparklance.schema.LogicalType.{
  Binary,
  Bool,
  Date32,
  Dictionary,
  FixedSizeList,
  Integer,
  Null,
  Struct,
  Utf8
}
import io.sparklance.schema.{Field, Leaf, LogicalType}
import io.sparklance.testkit.LegacyFiles.{Page, bytes, file, ints, longs, none, strings}
import io.sparklance.testkit.{Blocks, Hostile, MemoryStore, Scans}
import io.sparklance.{LanceException, LanceFormatException, UnsupportedLanceFeatureException}

class LegacyFileSuite extends AnyFunSuite {
  import LegacyFileSuite._

  private val sound = file(Vector(numbers), Vector(3, 2), Map(5 -> Vector(ints(1, 2, 3), ints(4, 5))))

  test("the file records its version, its schema and its rows") {
    Using.resource(open(sound)) { reader =>
      assert((reader.version, reader.schema.fields, reader.numRows) ==
        ((FileVersion.V0_1, Vector(numbers), 5L)))
    }
    assert(read(sound, numbers) == Seq(1, 2, 3, 4, 5).map(v => Some(v.toLong)))
  }

  test("empty strings are null where nulls may be") {
    val page = Map(7 -> Vector(strings("a", "", "bc")))
    for (nullable <- Seq(true, false)) {
      val texts = Field(7, "s", Utf8(large = false), nullable)
      val empty = Option.unless(nullable)(Vector.empty)
      assert(read(file(Vector(texts), Vector(3), page), texts) == Seq(text("a"), empty, text("bc")))
    }
  }

  test("booleans and lists of them are read from any bit on") {
    val flags = Field(0, "f", Bool, nullable = true)
    val triples = Field(1, "t", FixedSizeList(Bool, 3), nullable = true)
    val bits = Page(7, _ => Array[Byte](0x4b, 0x36, 0x15))
    val made = file(Vector(flags, triples), Vector(7), Map(0 -> Vector(bits), 1 -> Vector(bits)))
    def bit(i: Int): Long = (0x15364bL >> i) & 1
    for (start <- 0 until 7) {
      val rows = RowRange(start.toLong, 7)
      assert(read(made, flags, rows = rows) == (start until 7).map(i => Some(bit(i))))
      assert(read(made, triples, rows = rows) ==
        (start until 7).map(i => Some((3 * i until 3 * i + 3).map(bit).toVector)))
    }
  }

  test("a key of a dictionary stands for the value of that number, in each batch") {
    val pages = Map(0 -> Vector(bytes(2, 0), bytes(1, 1, 0)))
    val made = file(Vector(keyed), Vector(2, 3), pages, Map(0 -> strings("x", "", "zz")))
    assert(read(made, keyed) == Seq(text("zz"), text("x"), None, None, text("x")))
  }

  test("items of lists go on from batch to batch") {
    val made =
      lists(Vector(2, 0, 1), Vector(ints(0, 2, 3), ints(0), ints(0, 1)), ints(7, 8, 9), none, ints(5))
    def numbers(values: Long*): Option[Any] = Some(values.map(Some(_)).toVector)
    assert(read(made, item, Vector(list)) == Seq(numbers(7, 8), numbers(9), numbers(5)))
    assert(read(made, item, Vector(list), RowRange(1, 3)) == Seq(numbers(9), numbers(5)))
  }

  test("of a page that is longer than its batch, the start is read") {
    val made = file(Vector(numbers), Vector(1, 2), Map(5 -> Vector(ints(1, 2, 3), ints(4, 5, 6))))
    assert(read(made, numbers) == Seq(1, 4, 5).map(v => Some(v.toLong)))
  }

  test("only the bytes of the wanted column's wanted batches are read") {
    val (a, b) = (numbers.copy(id = 0), numbers.copy(id = 1))
    val page = ints(Seq.fill(20000)(1): _*)
    val store =
      stored(file(Vector(a, b), Vector(20000, 20000), Map(0 -> Vector(page, page), 1 -> Vector(page, page))))
    Using.resource(FileReader.open(store, "f", None)) { reader =>
      val scan = reader.scan(Vector(ColumnRequest(1, b)), RowRange(25000, 25001), 40000)
      assert(scan.fill(10) == 1)
    }
    val read = store.reads.filter(_.offset < 320000 - FileTail.Bytes)
    assert(store.reads.size <= 2 && read.forall(r => r.offset == 260000 && r.length == 4), store.reads)
  }

  private def refusal(body: => Any): String = intercept[LanceFormatException](body).getMessage

  test("a page table that contradicts the batches or the file is bad data") {
    def of(page: Page): Array[Byte] = file(Vector(numbers), Vector(3), Map(5 -> Vector(page)))
    assert(refusal(read(of(ints(1, 2)), numbers)) ==
      "the page table claims 2 values in a batch of 3 rows (file f, column n)")
    for ((length, at) <- Seq((-1L, 0), (3L, -1), (Long.MaxValue, 0), (1L << 61, 0), (3L, 1 << 30)))
      assert(refusal(read(
        of(Page(length, _ => new Array[Byte](12), at)),
        numbers
      )).contains("(file f, column n)"))
    assert(refusal(read(sound, numbers.copy(id = 6))) ==
      "the file has no field 6, as the table says (file f)")
  }

  test("a schema without fields is bad data where a field is asked for") {
    // The first page begins at 0, so the page table begins with the size of an empty schema.
    val page = Map(5 -> Vector(ints(1, 2, 3)))
    val bare =
      file(Vector(numbers), Vector(3), page, change = m => m.copy(manifestPosition = m.pageTablePosition))
    Using.resource(open(bare)) { reader =>
      assert(refusal(reader.column(5, Some(5))) == "the schema of the file has no field (file f)")
    }
  }

  test("metadata that makes no sense is bad data") {
    def changed(change: io.sparklance.proto.file.Metadata => io.sparklance.proto.file.Metadata): String =
      refusal(read(
        file(Vector(numbers), Vector(3), Map(5 -> Vector(ints(1, 2, 3))), change = change),
        numbers,
        rows = RowRange(0, 3)
      ))
    assert(changed(_.copy(batchOffsets = Seq(0, 5, 3))) ==
      "the batches of the file do not follow one another (file f)")
    assert(changed(_.copy(batchOffsets = Seq(1, 3))) ==
      "the batches of the file do not follow one another (file f)")
    assert(changed(_.copy(batchOffsets = Seq(0, 2))).startsWith("a column of 2 rows where 3 are expected"))
    assert(changed(_.copy(pageTablePosition = -5)).startsWith("the page table of 16 bytes at -5 is outside"))
    assert(changed(_.copy(manifestPosition = 1L << 40)).startsWith("the schema of 4 bytes at"))
  }

  test("offsets that decrease or leave what they are about are bad data") {
    val texts = Field(7, "s", Utf8(large = false), nullable = true)
    for (
      wrong <- Seq(Seq(0L, 5L, 4L, 5L), Seq(-1L, 0L, 1L, 2L), Seq(0L, 1L, 2L, 1L << 40), Seq(3L, 0L, 0L, 0L))
    ) {
      val page = longs(wrong: _*).copy(length = 3)
      assert(refusal(read(
        file(Vector(texts), Vector(3), Map(7 -> Vector(page))),
        texts
      )).startsWith("offset "))
    }
    for (wrong <- Seq(Seq(0, 2, 1), Seq(-1, 0, 3), Seq(0, 1, 4), Seq(0, 1, Int.MinValue)))
      assert(refusal(read(lists(Vector(2), Vector(ints(wrong: _*)), ints(1, 2, 3)), item, Vector(list)))
        .startsWith("offset "))
  }

  test("keys that no value has are bad data") {
    for (key <- Seq(3, -1)) {
      val made =
        file(Vector(keyed), Vector(2), Map(0 -> Vector(bytes(0, key))), Map(0 -> strings("x", "y", "z")))
      assert(refusal(read(made, keyed)).startsWith("an index beyond a dictionary of 3 items"))
    }
    val without = file(Vector(keyed), Vector(1), Map(0 -> Vector(bytes(0))))
    assert(refusal(read(without, keyed)).startsWith("a dictionary column without values"))
  }

  test("features that version 0.1 lacks, or that we do not read, are refused by name") {
    def feature(field: Field, around: Field*): String = {
      val made = file(Vector(field), Vector(1), Map(0 -> Vector(longs(0, 1).copy(length = 1))))
      intercept[UnsupportedLanceFeatureException](read(made, field, around.toVector)).feature
    }
    val binary = Field(0, "b", Binary(large = true), nullable = true)
    assert(feature(binary.copy(metadata = Map("lance-encoding:blob" -> "true"))) ==
      "a blob in a file of version 0.1 (column 'b')")
    val struct = Field(0, "s", Struct, nullable = true, Vector(numbers), Map("packed" -> "true"))
    assert(feature(struct) == "a packed struct in a file of version 0.1 (column 's')")
    val map = Field(0, "m", LogicalType.Map, nullable = true, Vector(numbers))
    assert(feature(binary, map) == "map in a file of version 0.1 (column 'm')")
    val dates = Field(0, "d", Dictionary(Date32, Integer(8, signed = true)), nullable = true)
    val made = file(Vector(dates), Vector(1), Map(0 -> Vector(bytes(0))), Map(0 -> ints(1)))
    assert(intercept[UnsupportedLanceFeatureException](read(made, dates)).feature ==
      "a dictionary of date32:day in a file of version 0.1")
    val nameless =
      file(Vector(numbers), Vector(1), Map(5 -> Vector(ints(1))), change = _.copy(manifestPosition = 0))
    assert(intercept[UnsupportedLanceFeatureException](read(nameless, numbers)).feature ==
      "a 0.1 file without its schema")
    val nulls = Field(1, "item", Null, nullable = true)
    val many = file(
      Vector(list.copy(children = Vector(nulls))),
      Vector(1),
      Map(0 -> Vector(ints(0, 1 << 30)), 1 -> Vector(Page(1L << 30, _ => Array.emptyByteArray)))
    )
    assert(intercept[UnsupportedLanceFeatureException](read(many, nulls, Vector(list))).feature ==
      "lists of 1073741824 nulls")
  }

  test("items outside of their lists are refused, since there is no going on to the next batch's") {
    for (offsets <- Seq(ints(0, 1, 2), ints(1, 2, 3)))
      assert(intercept[UnsupportedLanceFeatureException](
        read(lists(Vector(2), Vector(offsets), ints(1, 2, 3)), item, Vector(list))
      ).feature == "a batch of lists with items outside of its lists")
  }

  test("a file that is cut short, or of which any byte is wrong, is read in full or refused") {
    val texts = Field(7, "s", Utf8(large = false), nullable = true)
    val fields = Vector(list, texts, keyed.copy(id = 9))
    val made = file(
      fields,
      Vector(2, 1),
      Map(
        0 -> Vector(ints(0, 2, 3), ints(0, 1)),
        1 -> Vector(ints(7, 8, 9), ints(5)),
        7 -> Vector(strings("ab", ""), strings("c")),
        9 -> Vector(bytes(0, 1), bytes(1))
      ),
      Map(9 -> strings("x", "y"))
    )
    for (bad <- Hostile.truncations(made) ++ Hostile.flips(made).zipWithIndex.filter(_._2 % 2 == 0).map(_._1))
      for ((field, around) <- Seq((item, Vector(list)), (texts, Vector.empty), (fields(2), Vector.empty)))
        try assert(read(bad, field, around, RowRange(0, 3)).size == 3)
        catch { case _: LanceFormatException | _: UnsupportedLanceFeatureException => () }
  }

  test("whichever byte of a file of pylance is wrong, rows are read in full or refused") {
    val golden = Files.readAllBytes(Paths.get("tests/golden/flat_0.1.lance").toAbsolutePath)
    for (at <- golden.indices by 397) {
      val store = stored(golden.updated(at, (golden(at) ^ 0x81).toByte))
      try assert(Scans.read(store, "f").values.forall(_.size == 24))
      catch { case _: LanceException => () }
    }
  }
}

private object LegacyFileSuite {
  private val number = Integer(32, signed = true)
  val numbers: Field = Field(5, "n", number, nullable = true)
  val keyed: Field =
    Field(0, "k", Dictionary(Utf8(large = false), Integer(8, signed = true)), nullable = true)
  val item: Field = Field(1, "item", number, nullable = true)
  val list: Field =
    Field(0, "l", LogicalType.List(large = false, ofStruct = false), nullable = true, Vector(item))

  def text(value: String): Option[Any] = Some(value.getBytes("UTF-8").toVector)

  /** A file of lists: of each batch the rows, the offsets, and the items. */
  def lists(batches: Vector[Int], offsets: Vector[Page], items: Page*): Array[Byte] =
    file(Vector(list), batches, Map(0 -> offsets, 1 -> items.toVector))

  def stored(bytes: Array[Byte]): MemoryStore = {
    val store = new MemoryStore
    store.put("f", bytes)
    store
  }

  def open(bytes: Array[Byte]): FileReader = FileReader.open(stored(bytes), "f", None)

  /** @param around the lists around the field, outermost first */
  def read(
      file: Array[Byte],
      field: Field,
      around: Vector[Field] = Vector.empty,
      rows: RowRange = RowRange(0, Long.MaxValue)
  ): Vector[Option[Any]] = Using.resource(open(file)) { reader =>
    val expected = if (rows.end == Long.MaxValue) reader.numRows else rows.end
    val request = ColumnRequest(field.id, Leaf(around, field), around.map(_.id))
    val scan = reader.scan(Vector(request), rows, expected)
    Iterator
      .continually {
        val n = scan.fill(2)
        val values = Blocks.rows(scan.columns.head).take(n)
        scan.columns.foreach(_.discardHead(n))
        scan.advance(n)
        values
      }
      .takeWhile(_.nonEmpty)
      .flatten
      .toVector
  }
}
