package io.sparklance.file

import java.nio.file.{Files, Paths}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{ByteRange, FileVersion, LittleEndian, RowRanges, Slice}
import io.sparklance.encoding.pages.PageDescription
import io.sparklance.io.{IoScheduler, ReadBudget}
import io.sparklance.proto.encodings20.{ArrayEncoding, Buffer, Flat, List => ListMessage, Nullable}
import io.sparklance.schema.{Field, Leaf, LogicalType, SchemaCodec}
import io.sparklance.testkit.{Blocks, MemoryStore}
import io.sparklance.{
  LanceException,
  LanceFormatException,
  Location,
  ProtoBytes,
  UnsupportedLanceFeatureException
}

/** Lists and structs of a 2.0 file of pylance, which tests/golden/generate.py made. */
class NestedArraysSuite extends AnyFunSuite {
  import NestedArraysSuite._

  for ((name, value) <- columns) {
    test(s"$name is read as it was written") {
      assert(read(golden, name) == (0 until Rows).map(value))
    }

    test(s"$name: any stretch of rows can be read alone, in any batches") {
      for {
        (start, end) <-
          Seq((0, 1), (3, 4), (7, 31), (49, 50), (49, 51), (50, 120), (60, 119), (119, 120), (5, 5))
        batch <- Seq(1, 7, 1000)
      }
        assert(read(golden, name, RowRanges(start.toLong, end.toLong), batch) == (start until end).map(value))
    }

    test(s"$name: scattered rows can be read, in any batches") {
      for (step <- Seq(2, 3, 17, 40); width <- Seq(1, 2, 5); batch <- Seq(1, 7, 1000)) {
        val wanted = (0 until Rows).filter(_ % step < width)
        val rows = RowRanges.ofRows(wanted.map(_.toLong).toArray)
        assert(read(golden, name, rows, batch) == wanted.map(value))
      }
    }

    test(s"$name is refused or read in full, whichever byte of its pages is wrong") {
      val pageBytes = metadata(golden, name)._2.flatMap(_.pages).flatMap(_.buffers)
      for (
        range <- pageBytes; at <- range.offset.toInt until range.end.toInt by 5; mask <- Seq(1, 0x80, 0xff)
      ) {
        val bytes = golden.updated(at, (golden(at) ^ mask).toByte)
        try assert(read(bytes, name).size == Rows)
        catch { case _: LanceFormatException => () }
      }
    }
  }

  test("a column of items that has fewer than its lists is refused") {
    val (leaf, columns) = metadata(golden, "ints.item")
    val short = ColumnMetadata(columns.last.pages.take(1))
    val cursors =
      new NestedArrays(Location(), leaf, LeafColumns(columns.init, short), FileVersion.V2_0, bytesOf(golden))
    val error = intercept[LanceFormatException](cursors.cursor(RowRanges(0, 10), Rows.toLong))
    assert(error.reason == s"a column of ${short.rows} rows where ${columns.last.rows} are expected")
  }

  test("lists that end after their items are refused") {
    val (leaf, columns) = metadata(golden, "texts.item")
    val offsets = columns.head.pages.head.buffers.head
    val bytes = golden.clone()
    bytes(offsets.end.toInt - 8) = 127
    val cursor =
      new NestedArrays(
        Location(),
        leaf,
        LeafColumns(columns.init, columns.last),
        FileVersion.V2_0,
        bytesOf(bytes)
      )
        .cursor(RowRanges(0, 50), Rows.toLong)
    val error = intercept[LanceException](cursor.ensure(50))
    assert(error.getMessage.startsWith("lists that end at item"), error)
  }

  test("a list of nulls that take no room in the file must not fill the memory") {
    val items = Int.MaxValue - 20L
    val ends = new Array[Byte](8)
    LittleEndian.putLong(ends, 0, items)
    val offsets = ArrayEncoding().withFlat(Flat(64, Some(Buffer())))
    def column(buffers: Vector[ByteRange], rows: Long, encoding: ArrayEncoding): ColumnMetadata =
      ColumnMetadata(Vector(PageMetadata(buffers, 0, rows, PageDescription.Array(encoding))))
    val lists =
      column(
        Vector(ByteRange(0, 8)),
        1,
        ArrayEncoding().withList(ListMessage(Some(offsets), items + 1, items))
      )
    val nulls =
      column(Vector.empty, items, ArrayEncoding().withNullable(Nullable().withAllNulls(Nullable.AllNull())))
    val item = Field(1, "item", LogicalType.Integer(64, signed = true), nullable = true)
    val list =
      Field(0, "list", LogicalType.List(large = false, ofStruct = false), nullable = true, Vector(item))
    val cursor = new NestedArrays(
      Location(),
      Leaf(Vector(list), item),
      LeafColumns(Vector(lists), nulls),
      FileVersion.V2_0,
      bytesOf(ends),
      freeBytes = 1 << 20
    ).cursor(RowRanges(0, 1), 1)
    val error = intercept[UnsupportedLanceFeatureException](cursor.ensure(1))
    assert(error.feature == "a list with more than 1048576 bytes of items")
  }
}

private object NestedArraysSuite {
  final val Rows = 120
  private val golden = Files.readAllBytes(Paths.get("tests/golden/nested_2.0.lance").toAbsolutePath)

  private def text(value: String): Vector[Byte] = value.getBytes("UTF-8").toVector
  private def ints(i: Int): Option[Vector[Option[Any]]] =
    Option.unless(i % 7 == 3)(
      (0 until i % 4).map(j => Option.unless((i + j) % 5 == 4)(i * 10L + j)).toVector
    )
  private def structs(i: Int)(value: Int => Any): Option[Any] =
    Some((0 until i % 3).map(j => Some(Vector(Some(value(j))))).toVector)

  /** By the path of the leaf. A struct is a vector of what is read of it: the branch of that leaf. */
  val columns: Map[String, Int => Option[Any]] = Map(
    "ints.item" -> ints,
    "texts.item" -> (i => Some((0 until i % 3).map(j => Some(text(s"$i-$j"))).toVector)),
    "deep.item.item" ->
      (i =>
        Option.unless(i % 11 == 5)(
          (0 until i % 4)
            .map(j => Option.unless((i + j) % 6 == 5)((0 until j).map(k => Some(i + j + k.toLong)).toVector))
            .toVector
        )
      ),
    "structs.item.a" -> (i => structs(i)(j => (i + j).toLong)),
    "structs.item.b.item" ->
      (i => structs(i)(j => (0 until j).map(k => Some(text(s"$i.$j.$k"))).toVector)),
    "struct.x" -> (i => Some(Vector(Some(i.toLong)))),
    "struct.y.item" -> (i => Some(Vector(ints(i))))
  )

  private def bytesOf(file: Array[Byte]): ScanBytes = {
    val store = new MemoryStore
    store.put("f", file)
    val io = IoScheduler.shared.client(store.profile)
    val budget = ReadBudget.whole(io)
    val fetcher = new Fetcher(TailedFile.unread(store.open("f")), io, budget, 1, new ScanCounts)
    new FileBytes(fetcher, new ReadAhead(budget)).onDemand
  }

  /** The leaf of that path, and the columns of the lists around it and its own. */
  private def metadata(file: Array[Byte], path: String): (Leaf, Vector[ColumnMetadata]) = {
    val slice = Slice(file)
    val footer =
      Footer.parse(slice.slice(file.length - 40L, 40, "the footer"), file.length.toLong)
    def entry(at: ByteRange): Slice = {
      val place = slice.slice(at.offset, at.length, "an entry")
      slice.slice(place.long(0), place.long(8), "a message")
    }
    val message = ProtoBytes.parse(
      io.sparklance.proto.file.FileDescriptor,
      entry(footer.schemaEntry).toArray,
      "the schema"
    )
    val schema = SchemaCodec.decode(message.getSchema.fields, message.getSchema.metadata)
    val leaf = schema.fields.flatMap(FileColumns.leaves).find(_.name == path).get
    // In 2.0 each field has a column; a file's ids are its fields' numbers.
    val lists = leaf.path.filter(f => f.id == leaf.field.id || f.logicalType.isInstanceOf[ListType]).map {
      field =>
        ColumnMetadata.parse(entry(footer.columnEntry(field.id)), file.length.toLong, FileVersion.V2_0)
    }
    (leaf, lists)
  }
  private type ListType = io.sparklance.schema.LogicalType.List

  private def read(
      file: Array[Byte],
      path: String,
      rows: RowRanges = RowRanges(0, Rows.toLong),
      batch: Int = 1000
  ): Seq[Option[Any]] = LanceFormatException.locating(Location()) {
    val (leaf, columns) = metadata(file, path)
    val cursor =
      new NestedArrays(
        Location(),
        leaf,
        LeafColumns(columns.init, columns.last),
        FileVersion.V2_0,
        bytesOf(file)
      )
        .cursor(rows, Rows.toLong)
    var left = rows.count.toInt
    val batches = Vector.newBuilder[Option[Any]]
    while (left > 0) {
      val there = cursor.ensure(math.min(batch, left))
      batches ++= Blocks.rows(cursor.column).take(there)
      cursor.column.discardHead(there)
      left -= there
    }
    batches.result()
  }
}
