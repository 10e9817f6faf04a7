package io.sparklance.file

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.{ByteRange, FileVersion, RowRange}
import io.sparklance.encoding.EncodedPage
import io.sparklance.io.ReadProfile
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.proto.encodings.{ConstantLayout, PageLayout, RepDefLayer}
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{Field, LanceSchema}
import io.sparklance.testkit.{ColumnText, Files, Hostile, MemoryStore, RandomColumns, Scans}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

class FileRoundTripSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 25, sizeRange = 20)

  private val fields = RandomColumns.fields(RandomColumns.types)
  private val path = "/t/data/f.lance"

  private val inputs = for {
    version <- Gen.oneOf(FileVersion.writable)
    pages <-
      Gen.listOf(Gen.frequency(5 -> Gen.choose(1, 50), 1 -> Gen.choose(900, 1200))).map(_.take(5).toVector)
    pattern <- Gen.oneOf(RandomColumns.patterns)
    nullShare <- Gen.oneOf(0.0, 0.1, 0.9, 1.0)
    seed <- Gen.long
  } yield (version, pages, pattern, nullShare, seed)

  private val profiles = Gen.oneOf(
    ReadProfile.Local,
    ReadProfile.remote("memory"),
    ReadProfile("narrow", 2, readAhead = 20000, maxGap = 1000, maxLength = 5000)
  )

  test("columns of every flat type, in any pages, are read as they were written, ahead or on demand") {
    forAll(inputs, Gen.choose(1, 2000), profiles) {
      case ((version, pages, pattern, nullShare, seed), batchRows, profile) =>
        val store = new MemoryStore(profile)
        val written = Files.write(store, path, fields, version, pages, pattern, nullShare, seed)
        assert(Scans.read(store, path, batchRows = batchRows) == written)
    }
  }

  test("a stretch of rows of some columns is that stretch of the whole") {
    forAll(inputs, Gen.choose(0, 2500), Gen.choose(0, 2500), Gen.someOf(fields), profiles) {
      case ((version, pages, pattern, nullShare, seed), start, length, chosen, profile) =>
        val store = new MemoryStore(profile)
        val written = Files.write(store, path, fields, version, pages, pattern, nullShare, seed)
        val names = chosen.map(_.name).toSet
        val part = Scans.read(store, path, RowRange(start.toLong, start.toLong + length), Some(names))
        assert(part == written.view.filterKeys(names).mapValues(_.slice(start, start + length)).toMap)
    }
  }

  test("the file records its schema and its rows") {
    val store = new MemoryStore
    Files.write(store, path, fields, FileVersion.V2_2, Vector(3, 4), RandomColumns.Anything, 0, 1)
    val reader = FileReader.open(store, path, None)
    assert((reader.schema.fields, reader.numRows) == ((fields, 7L)))
  }

  test("only the bytes of the wanted column's wanted pages are read") {
    val store = new MemoryStore
    val wide = RandomColumns.fields(Vector.fill(4)(Integer(64, signed = true)))
    val rows = Vector.fill(4)(20000)
    Files.write(store, path, wide, FileVersion.V2_2, rows, RandomColumns.Anything, 0, 1)
    val size = store.bytes(path).length
    store.forgetReads()
    val part = Scans.read(store, path, RowRange(20000, 20001), Some(Set("c2")))
    assert(part("c2").size == 1)
    val read = store.reads.map(_.length).sum
    assert(store.reads.head == ByteRange(size - FileTail.Bytes, FileTail.Bytes))
    assert(read < FileTail.Bytes + (300 << 10), s"of $size bytes")
    // Column c2's pages lie between those of c1 and c3, as Files writes column after column.
    val (from, to) = (2L * 4 * 20000 * 8 * 95 / 100, 3L * 4 * 20000 * 8 * 105 / 100)
    assert(store.reads.tail.forall(r => r.offset >= from && r.end <= to), store.reads)
  }

  test("a small file is opened and described by a single read, one with much metadata by two") {
    val store = new MemoryStore
    Files.write(store, path, fields, FileVersion.V2_2, Vector(3), RandomColumns.Anything, 0, 1)
    store.forgetReads()
    val requests = Vector(ColumnRequest(0, fields(0)), ColumnRequest(3, fields(3)))
    FileReader.open(store, path, None).scan(requests, RowRange(0, 3), 3)
    assert(store.reads.size == 1)

    val manyPages = Vector.fill(1000)(1)
    Files.write(store, path, fields.take(4), FileVersion.V2_2, manyPages, RandomColumns.Anything, 0, 1)
    store.forgetReads()
    FileReader.open(store, path, None).scan(requests, RowRange(0, 3), 1000)
    assert(store.reads.size == 2, store.reads)
  }

  test("a column of other rows than the table counts is bad data, and so is one the file does not have") {
    val store = new MemoryStore
    Files.write(store, path, fields, FileVersion.V2_2, Vector(3), RandomColumns.Anything, 0, 1)
    val reader = FileReader.open(store, path, None)
    def reason(column: Int, expected: Long): String = intercept[LanceFormatException](
      reader.scan(Vector(ColumnRequest(column, fields(0))), RowRange(0, 3), expected)
    ).getMessage
    assert(reason(0, 4) == s"a column of 3 rows where 4 are expected (file $path, column c0)")
    assert(reason(99, 3) == s"column 99 wanted of a file of 20 columns (file $path)")
  }

  /** A few rows of a few types, whose file is small enough to be broken in every place. */
  private def small(store: MemoryStore, version: FileVersion): Vector[Field] = {
    val few = RandomColumns.fields(Vector(
      Integer(32, signed = true),
      Utf8(large = false),
      FixedSizeList(FloatingPoint(32), 70)
    ))
    Files.write(store, path, few, version, Vector(5, 3), RandomColumns.Anything, 0.3, 3)
    few
  }

  /** The rows of a file that may be damaged: None if it is refused. Other failures than the two for bad files
    * pass.
    */
  private def attempt(store: MemoryStore, few: Vector[Field]): Option[Vector[Int]] =
    try {
      val reader = FileReader.open(store, path, None)
      val scan = reader.scan(few.zipWithIndex.map { case (f, i) => ColumnRequest(i, f) }, RowRange(0, 8), 8)
      val rows = scan.fill(100)
      Some(scan.columns.map(ColumnText.of(_, rows).size))
    } catch {
      case _: LanceFormatException | _: UnsupportedLanceFeatureException => None
    }

  for (version <- FileVersion.writable) {
    test(s"a $version file cut short anywhere is refused") {
      val store = new MemoryStore
      val few = small(store, version)
      val whole = store.bytes(path)
      assert(attempt(store, few).contains(Vector(8, 8, 8)))
      for (length <- 0 until whole.length) {
        store.put(path, whole.take(length))
        assert(attempt(store, few).isEmpty, s"of length $length")
      }
    }

    test(s"a $version file with any byte changed is refused or still has as many rows") {
      val store = new MemoryStore
      val few = small(store, version)
      val whole = store.bytes(path)
      Hostile.flipping(whole) { damaged =>
        store.put(path, damaged)
        val _ = assert(attempt(store, few).forall(_ == Vector(8, 8, 8)))
      }
    }
  }

  test("a page without bytes may have any number of rows, of which only the wanted ones cost anything") {
    val store = new MemoryStore
    val field = RandomColumns.fields(Vector(Integer(32, signed = true))).head
    val layout = ConstantLayout(layers = Seq(RepDefLayer.REPDEF_NULLABLE_ITEM))
    val rows = 1L << 60
    val writer = new FileWriter(store.create(path), LanceSchema(Vector(field)), FileVersion.V2_2)
    writer.writePage(0, EncodedPage(Vector.empty, PageLayout(Layout.ConstantLayout(layout)), rows), 0)
    writer.finish()
    for (start <- Seq(0L, rows / 2)) {
      val reader = FileReader.open(store, path, None)
      val scan = reader.scan(Vector(ColumnRequest(0, field)), RowRange(start, rows), rows)
      assert(scan.fill(10) == 10 && scan.columns.head.nulls.count == 10)
    }
  }

  test("the error for a damaged page names the file, the column, the page and the place") {
    val store = new MemoryStore
    val few = small(store, FileVersion.V2_2)
    val damaged = store.bytes(path).clone()
    for (i <- 64 until 128) damaged(i) = -1
    store.put(path, damaged)
    val scan = FileReader.open(store, path, None).scan(Vector(ColumnRequest(0, few(0))), RowRange(0, 8), 8)
    val e = intercept[LanceFormatException](scan.fill(8))
    assert(e.location.file.contains(path) && e.location.column.contains("c0") && e.location.page.contains(0))
    assert(e.location.offset.contains(64L))
  }
}
