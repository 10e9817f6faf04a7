package io.sparklance.dataset.scan

import scala.util.{Random, Using}

import org.roaringbitmap.RoaringBitmap
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{
  Column,
  FileVersion,
  FixedBytesBlock,
  RowRange,
  RowRanges,
  Slice,
  ValueShape,
  VariableBlock
}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.snapshot.DeletionSource
import io.sparklance.dataset.write.{FragmentWriter, WrittenFile}
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.encoding.physical.{General, Variable}
import io.sparklance.encoding.structural.FullZip
import io.sparklance.encoding.{EncodedPage, Slots}
import io.sparklance.file.FileWriter
import io.sparklance.io.ReadableFile
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.proto.encodings.{
  BufferCompression,
  CompressionScheme,
  ConstantLayout,
  PageLayout,
  RepDefLayer
}
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{Field, LanceSchema, Leaf}
import io.sparklance.table.{DataFileName, DeletionFileKind, WriteId}
import io.sparklance.testkit.{Blocks, ColumnText, DelegatingFile, DelegatingStore, MemoryStore, RandomColumns}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

class FragmentSuite extends AnyFunSuite {
  private val fields = RandomColumns.fields(RandomColumns.types)

  /** Writes rows one by one, and says what they were. */
  private def write(
      store: MemoryStore,
      fields: Vector[Field],
      rows: Int,
      maxPageBytes: Long
  ): (WrittenFile, Vector[Vector[String]]) = {
    val writer = new FragmentWriter(store, "/t", LanceSchema(fields), FileVersion.V2_2, maxPageBytes)
    val random = new Random(7)
    val texts = Vector.fill(fields.size)(Vector.newBuilder[String])
    for (_ <- 0 until rows) {
      fields.indices.foreach { i =>
        val column = writer.columns(i)
        RandomColumns.fill(column, fields(i), 1, RandomColumns.Anything, 0.2, random)
        texts(i) += ColumnText.at(column, column.length - 1)
      }
      writer.rowWritten()
    }
    (writer.finish(), texts.map(_.result()))
  }

  private def task(file: WrittenFile, projection: Vector[Field]): FragmentTask = FragmentTask(
    3,
    Vector(FileSource(s"/t/data/${file.fileName}", Some(file.sizeBytes), file.fieldIds, file.columnIndices)),
    file.rows,
    None,
    RowRanges(0, file.rows),
    projection
  )

  private def read(store: MemoryStore, task: FragmentTask, batchRows: Int): Vector[Vector[String]] =
    Using.resource(FragmentReader.open(store, task, batchRows)) { reader =>
      val batches = Iterator
        .continually(reader.next())
        .takeWhile(identity)
        .map { _ =>
          assert(reader.rowCount > 0 && reader.rowCount <= batchRows)
          reader.columns.map(ColumnText.of(_, reader.rowCount))
        }
        .toVector
      task.projection.indices.toVector.map(i => batches.flatMap(_(i)))
    }

  private def count(store: MemoryStore, task: FragmentTask, batchRows: Int): Long =
    Using.resource(FragmentReader.open(store, task, batchRows)) { reader =>
      Iterator.continually(reader.next()).takeWhile(identity).map(_ => reader.rowCount.toLong).sum
    }

  private def deleting(store: MemoryStore, task: FragmentTask, rows: Seq[Int]): FragmentTask = {
    val bitmap = RoaringBitmap.bitmapOf(rows: _*)
    val bytes = java.nio.ByteBuffer.allocate(bitmap.serializedSizeInBytes)
    bitmap.serialize(bytes)
    store.put("/t/_deletions/3-1-1.bin", bytes.array)
    val source = DeletionSource("/t/_deletions/3-1-1.bin", DeletionFileKind.Bitmap, Some(rows.size.toLong))
    task.copy(deletion = Some(source))
  }

  test("rows written one by one come back, for any page and batch size") {
    for (maxPageBytes <- Seq(1L, 1000L, FragmentWriter.DefaultPageBytes)) {
      val store = new MemoryStore
      val (file, rows) = write(store, fields, 100, maxPageBytes)
      assert(file.rows == 100)
      assert(file.sizeBytes == store.bytes(s"/t/data/${file.fileName}").length)
      assert(file.fieldIds == fields.map(_.id) && file.columnIndices == fields.indices.toVector)
      for (batchRows <- Seq(1, 33, 5000)) assert(read(store, task(file, fields), batchRows) == rows)
    }
  }

  test("a file of no rows is one") {
    val store = new MemoryStore
    val (file, _) = write(store, fields, 0, 1000)
    assert(read(store, task(file, fields), 10).forall(_.isEmpty))
  }

  test("pages of many columns are smaller, so that all of them fit into the buffer") {
    def pageBytes(columns: Int): Long = {
      val numbers = RandomColumns.fields(Vector.fill(columns)(Integer(64, signed = true)))
      FragmentWriter.pageBytes(LanceSchema(numbers), bufferBytes = 256L << 20)
    }
    assert(Seq(1, 18).map(pageBytes) == Seq(FragmentWriter.DefaultPageBytes, FragmentWriter.DefaultPageBytes))
    // Arrays are larger than their values, by up to a half.
    Seq(19, 32, 10000).foreach(n => assert(pageBytes(n) * n * 3 / 2 <= (256L << 20) - 4 * pageBytes(n)))
  }

  test("a writer never holds more than a page of each column") {
    val few = RandomColumns.fields(Vector(Integer(64, signed = true), Utf8(large = false)))
    val writer = new FragmentWriter(new MemoryStore, "/t", LanceSchema(few), FileVersion.V2_2, 1000)
    val text = new Array[Byte](90)
    for (i <- 0 until 1000) {
      writer.columns.foreach { column =>
        column.values match {
          case b: VariableBlock => b.append(text, 0, text.length)
          case other => other.appendSlots(1)
        }
        column.nulls.appendValid(1)
      }
      writer.rowWritten()
      assert(writer.columns.forall(_.values.sizeInBytes < 1000), s"after row $i")
      assert(writer.rowsWritten == i + 1)
    }
    assert(writer.bytesWritten > 1000)
    writer.abort()
  }

  test("a writer keeps no room for a value that was larger than a page") {
    val few = RandomColumns.fields(Vector(Utf8(large = false), FixedSizeBinary(100000)))
    val writer = new FragmentWriter(new MemoryStore, "/t", LanceSchema(few), FileVersion.V2_2, 1000)
    val held = writer.columns.map(_.values).collect {
      case b: VariableBlock => () => b.bytes.length
      case b: FixedBytesBlock => () => b.bytes.length
    }
    for (size <- Seq(1000000, 10, 2000, 10)) {
      writer.columns.head.values match {
        case b: VariableBlock => b.append(new Array[Byte](size), 0, size)
        case other => fail(s"$other")
      }
      writer.columns(1).values.appendSlots(1)
      writer.columns.foreach(_.nulls.appendValid(1))
      writer.rowWritten()
      assert(held.size == 2 && held.forall(_() <= 2000))
    }
    writer.abort()
  }

  test("a forgotten value is noticed rather than written as a shift of all rows behind it") {
    val few = RandomColumns.fields(Vector(Bool, Bool))
    val writer = new FragmentWriter(new MemoryStore, "/t", LanceSchema(few), FileVersion.V2_2)
    writer.columns.head.appendNulls(1)
    writer.rowWritten()
    assert(intercept[IllegalStateException](
      writer.finish()
    ).getMessage.startsWith("column c1 has 0 values and 0 null flags after 1 rows"))
  }

  test("columns come in the order of the projection, of those rows that are wanted") {
    val store = new MemoryStore
    val (file, rows) = write(store, fields, 200, 700)
    val wanted = task(file, Vector(fields(12), fields(3))).copy(rows = RowRanges(33, 150))
    assert(read(store, wanted, 40) == Vector(rows(12).slice(33, 150), rows(3).slice(33, 150)))
  }

  test("deleted rows are left out, wherever they lie") {
    val store = new MemoryStore
    val (file, rows) = write(store, fields, 300, 2000)
    val scattered = new Random(1).shuffle((0 until 300).toList).take(200).sorted
    for {
      deleted <- Seq(Seq(0), Seq(299), 0 to 150, 37 until 41, 0 until 300 by 2, scattered)
      batchRows <- Seq(1, 50, 1000)
      range <- Seq(
        RowRanges(0, 300),
        RowRanges(38, 171),
        RowRanges.of(Seq(RowRange(1, 40), RowRange(41, 44), RowRange(170, 270)))
      )
    } {
      val gone = deleted.toSet
      val live = range.ranges.flatMap(r => r.start.toInt until r.end.toInt).filterNot(gone)
      val wanted = deleting(store, task(file, fields).copy(rows = range), deleted)
      assert(read(store, wanted, batchRows) == rows.map(column => live.map(column).toVector))
      assert(count(store, wanted.copy(projection = Vector.empty), batchRows) == live.size)
    }
  }

  test("a fragment of deleted rows only has no batches") {
    val store = new MemoryStore
    val (file, _) = write(store, fields, 20, 1000)
    assert(count(store, deleting(store, task(file, fields), 0 until 20), 7) == 0)
  }

  test("fields that no file has are null, and a file that has nothing else is not opened") {
    val store = new MemoryStore
    val (file, rows) = write(store, fields, 100, 1000)
    val nulls = Vector.fill(100)("-")
    val added = fields.map(f => f.copy(id = f.id + 100, name = "new " + f.name))
    val mixed = task(file, Vector(added(0), fields(5), added(12), added(18)))
    assert(read(store, mixed, 30) == Vector(nulls, rows(5), nulls, nulls))
    store.forgetReads()
    assert(read(store, task(file, added), 30).forall(_ == nulls))
    assert(store.reads.isEmpty)
    assert(read(store, deleting(store, mixed, Seq(3, 4, 50)), 30).map(_.size) == Vector.fill(4)(97))
  }

  test("counting reads no data file") {
    val store = new MemoryStore
    val (file, _) = write(store, fields, 100, 1000)
    store.forgetReads()
    assert(count(store, task(file, Vector.empty), 33) == 100)
    assert(store.reads.isEmpty)
  }

  test(
    "columns of several files stand side by side; a replaced column is that of the file which has it now"
  ) {
    val store = new MemoryStore
    val (first, firstRows) = write(store, fields.take(3), 100, 500)
    val (second, secondRows) = write(store, fields.slice(1, 5), 100, 300)
    val replaced = task(first, fields.take(5)).files.map(_.copy(fieldIds = Vector(0, -2, -2)))
    val both = task(first, fields.take(5)).copy(files = replaced ++ task(second, Vector.empty).files)
    assert(read(store, both, 45) == firstRows.take(1) ++ secondRows)
  }

  test("a file of other rows than its fragment is bad data") {
    val store = new MemoryStore
    val (file, _) = write(store, fields.take(2), 100, 500)
    val shorter = task(file, fields.take(2)).copy(physicalRows = 99)
    val e = intercept[LanceFormatException](FragmentReader.open(store, shorter, 10))
    assert(e.reason == "a column of 100 rows where 99 are expected")
  }

  /** A column of 1 MiB strings, which take next to nothing in the file, beside their numbers. */
  private def largeStrings(
      store: MemoryStore,
      fields: Vector[Field],
      rows: Int,
      strings: EncodedPage
  ): FragmentTask = {
    val writer = new FileWriter(store.create("/t/data/large.lance"), LanceSchema(fields), FileVersion.V2_2)
    val numbers = Blocks.column(PrimitiveField.shapeOf(fields(0)), (0 until rows).map(i => Some(i.toLong)))
    writer.writePage(0, PrimitiveField.encode(numbers, fields(0), FileVersion.V2_2), 0)
    writer.writePage(1, strings, 0)
    val size = writer.finish()
    task(
      WrittenFile(
        "large.lance",
        fields.map(_.id),
        fields.indices.toVector,
        FileVersion.V2_2,
        size,
        rows.toLong
      ),
      fields
    )
  }

  private val large = 1 << 20

  private def constant(rows: Int): EncodedPage = {
    val buffer = java.nio.ByteBuffer.allocate(20 + large).order(java.nio.ByteOrder.LITTLE_ENDIAN)
    Seq(2, 8, large, 0, large).foreach(buffer.putInt)
    val layout = ConstantLayout(layers = Seq(RepDefLayer.REPDEF_ALL_VALID_ITEM))
    EncodedPage(Vector(Slice(buffer.array)), PageLayout(Layout.ConstantLayout(layout)), rows.toLong)
  }

  private def dictionary(rows: Int): EncodedPage = {
    val number = RandomColumns.fields(Vector(Integer(32, signed = true))).head
    val positions = Blocks.column(ValueShape.FixedWidth(32), (0 until rows).map(i => Some(i % 2L)))
    val page = PrimitiveField.encode(positions, number, FileVersion.V2_2)
    val items = new VariableBlock
    (0 until 2).foreach(_ => items.append(new Array[Byte](large), 0, large))
    val encoded = Variable.blockCompressor(32).compress(items)
    val layout =
      page.layout.getMiniBlockLayout.copy(dictionary = Some(encoded.encoding), numDictionaryItems = 2)
    page.copy(buffers = page.buffers :+ encoded.buffer, layout = PageLayout(Layout.MiniBlockLayout(layout)))
  }

  private def compressed(rows: Int): EncodedPage = {
    val strings = new VariableBlock
    (0 until rows).foreach(_ => strings.append(new Array[Byte](large), 0, large))
    val column = new Column(strings)
    column.nulls.appendValid(rows)
    val zstd = BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)
    val compressor = General.perValueCompressor(zstd, Variable.perValueCompressor(32))
    FullZip.encode(column, ValueShape.VariableWidth(32), Slots.of(column.nulls), Some(compressor))
  }

  for (
    (name, page, rows) <-
      Seq[(String, Int => EncodedPage, Int)](
        ("constant", constant, 5000),
        ("compressed", compressed, 50),
        ("dictionary", dictionary, 1500)
      )
  )
    test(s"batches of large values are cut by their bytes, all columns alike: $name") {
      val few = RandomColumns.fields(Vector(Integer(64, signed = true), Utf8(large = false)))
      val store = new MemoryStore
      val all = deleting(store, largeStrings(store, few, rows, page(rows)), Seq(3, 4, 40))
      // With a filter the strings are not decoded row after row, but chosen.
      for (predicate <- Seq(Predicate.Always, Predicate.NotNull(Leaf(Vector.empty, few.head))))
        Using.resource(FragmentReader.open(store, all.copy(predicate = predicate), 4096)) { reader =>
          val numbers = Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
            assert(reader.columns(1).values.sizeInBytes < 32 * large)
            Blocks.rows(reader.columns(0)).take(reader.rowCount)
          }
          assert(numbers.toVector == (0 until rows).filterNot(Set(3, 4, 40)).map(i => Some(i.toLong)))
        }
    }

  test("a field that no file has, of a type that cannot be read, leaves no file open") {
    val store = new MemoryStore
    val (file, _) = write(store, fields.take(1), 10, 1000)
    var opened = 0
    val counting = new DelegatingStore(store) {
      override def open(path: String, knownSize: Option[Long]): ReadableFile = {
        val file = super.open(path, knownSize)
        opened += 1
        new DelegatingFile(file) {
          override def close(): Unit = { opened -= 1; super.close() }
        }
      }
    }
    val unknown = fields(0).copy(id = 77, name = "s", logicalType = Unknown("union"))
    val e = intercept[UnsupportedLanceFeatureException](
      FragmentReader.open(counting, task(file, Vector(fields(0), unknown)), 10)
    )
    assert(e.feature == "type union (of column 's')" && opened == 0)
  }

  test(
    "a null where the table's schema allows none is bad data, whether it is stored or stands for a missing field"
  ) {
    val store = new MemoryStore
    val (file, _) = write(store, fields.take(1), 50, 1000)
    val strict = fields(0).copy(nullable = false)
    val reader = FragmentReader.open(store, task(file, Vector(strict)), 100)
    assert(
      intercept[LanceFormatException](reader.next()).reason.startsWith("a null in field 'c0', which has none")
    )
    reader.close()
    val e = intercept[LanceFormatException](
      FragmentReader.open(store, task(file, Vector(strict.copy(id = 9))), 100)
    )
    assert(e.reason == "no data file has column 'c0', and nulls cannot stand for it, as its schema says")
  }

  test("a task can be sent to an executor") {
    val store = new MemoryStore
    val (file, _) = write(store, fields, 1, 1000)
    val out = new java.io.ByteArrayOutputStream
    val whole = deleting(store, task(file, fields), Seq(0))
    new java.io.ObjectOutputStream(out).writeObject(whole)
    val in = new java.io.ObjectInputStream(new java.io.ByteArrayInputStream(out.toByteArray))
    assert(in.readObject() == whole)
  }

  test("data file names are 24 binary and 26 hexadecimal digits of a UUID") {
    assert(
      DataFileName.of(java.util.UUID.fromString("a50f0102-0304-4506-8708-090a0b0c0d0e")) ==
        "101001010000111100000001" + "02030445068708090a0b0c0d0e" + ".lance"
    )
    assert(DataFileName.of(new java.util.UUID(0, 0)) == "0" * 50 + ".lance")
    val write = WriteId(0x0a0bL)
    val names = Vector.fill(2)(DataFileName.random(write))
    assert(names.distinct == names && names.forall(_.endsWith("0000000000000a0b.lance")))
    assert(names.forall(write.owns) && write.owns(s".tmp_${names.head}_1") &&
      !names.exists(WriteId.random().owns))
  }

  test("every file is closed, even if others fail to be, and also if a later one cannot be opened") {
    val store = new MemoryStore
    val (one, _) = write(store, fields.take(1), rows = 20, maxPageBytes = 1000)
    val (two, _) = write(store, fields.slice(1, 2), rows = 20, maxPageBytes = 1000)
    val closed = Vector.newBuilder[String]
    val failing = new DelegatingStore(store) {
      override def open(path: String, knownSize: Option[Long]): ReadableFile =
        new DelegatingFile(super.open(path, knownSize)) {
          override def close(): Unit = {
            closed += this.path
            throw new java.io.IOException(s"cannot close ${this.path}")
          }
        }
    }
    val both = task(one, fields.take(2)).copy(files = Vector(one, two).flatMap(task(_, fields).files))
    val paths = both.files.map(_.path)
    val reader = FragmentReader.open(failing, both, 10)
    assert(reader.next())
    val e = intercept[java.io.IOException](reader.close())
    assert(closed.result().sorted == paths.sorted && e.getSuppressed.length == 1)
    closed.clear()
    store.delete(paths.last)
    val gone = intercept[LanceFormatException](FragmentReader.open(failing, both, 10))
    assert(gone.location.file.contains(paths.last) && gone.reason.contains("it is not there"))
    assert(closed.result().toSet.subsetOf(paths.init.toSet))
  }
}
