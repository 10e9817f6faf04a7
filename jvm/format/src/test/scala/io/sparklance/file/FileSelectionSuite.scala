package io.sparklance.file

import java.nio.file.{Files => Disk, Paths}

import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{ByteRange, FileVersion, RowRange, RowRanges}
import io.sparklance.io.{IoScheduler, ReadBudget, ReadProfile}
import io.sparklance.schema.LogicalType.{FixedSizeList, FloatingPoint, Integer, Utf8}
import io.sparklance.schema.{Field, Leaf, LogicalType}
import io.sparklance.testkit.{ColumnText, Files, MemoryStore, RandomColumns}

/** Chosen rows are those that a scan finds at the same places, however they are chosen. */
class FileSelectionSuite extends AnyFunSuite {
  import FileSelectionSuite._

  for ((pattern, i) <- RandomColumns.patterns.zipWithIndex) {
    val version = FileVersion.writable(i % FileVersion.writable.size)
    test(s"$version, $pattern: any rows can be chosen, of all types") {
      val store = new MemoryStore
      val fields = RandomColumns.fields(RandomColumns.types)
      val _ = Files.write(store, "f", fields, version, Vector(300, 1, 700), pattern, 0.1, seed = 3)
      check(store, fields.indices.map(i => ColumnRequest(i, fields(i))).toVector, 1001)
    }
  }

  for (version <- Seq(FileVersion.V2_0, FileVersion.V2_1, FileVersion.V2_2))
    test(s"$version: any rows of lists and structs can be chosen") {
      val store = new MemoryStore
      store.put("f", Disk.readAllBytes(Paths.get(s"tests/golden/nested_$version.lance").toAbsolutePath))
      val leaves =
        Using.resource(FileReader.open(store, "f", None))(_.schema.fields.flatMap(FileColumns.leaves))
      val requests = leaves.zipWithIndex.map { case (leaf, i) =>
        // In 2.0 each field has a column; a file's ids are its fields' numbers.
        if (version == FileVersion.V2_0) ColumnRequest(leaf.field.id, leaf, listsOf(leaf))
        else ColumnRequest(i, leaf)
      }
      check(store, requests, 120)
    }

  test("pages and chunks without a chosen row are not read") {
    val store = new MemoryStore
    val fields = Vector(Field(0, "v", FixedSizeList(FloatingPoint(32), 200), nullable = true))
    val _ =
      Files.write(store, "f", fields, FileVersion.V2_2, Vector.fill(4)(1000), RandomColumns.Anything, 0, 5)
    Using.resource(FileReader.open(store, "f", None)) { reader =>
      val (selection, chosen) = select(reader, store, Vector(ColumnRequest(0, fields.head)), 4000)
      store.forgetReads()
      chosen.append(Array(2003L, 2004L, 2500L), Array(0, 1, 2), 3)
      assert(selection.select(3) == 3)
      assert(store.reads.map(_.length) == Vector(2 * 800L, 800L))
      assert(store.reads.map(_.offset / 1000000) == Vector(1, 2))
    }
  }

  test("what opens a page is given back to the budget once rows of a later page are chosen") {
    val store = new MemoryStore(ReadProfile.remote("opened pages"))
    val fields = Vector(Field(0, "s", Utf8(large = false), nullable = true))
    val _ =
      Files.write(store, "f", fields, FileVersion.V2_2, Vector.fill(4)(1000), RandomColumns.Anything, 0.1, 5)
    def roomAfter(rows: Long*): Long = Using.resource(FileReader.open(store, "f", None)) { reader =>
      val budget = ReadBudget.whole(IoScheduler.shared.client(store.profile))
      val chosen = new ChosenRows
      val column = Vector(ColumnRequest(0, fields.head))
      val selection = reader.select(column, RowRanges(0, 4000), 4000, chosen, new ReadAhead(budget))
      for (row <- rows) {
        chosen.append(Array(row), Array(0), 1)
        assert(selection.select(1) == 1)
        selection.discard(1)
        chosen.drop(1)
      }
      budget.room
    }
    assert(roomAfter(5, 1005, 2005, 3005) == roomAfter(3005))
  }

  test("the rows of a chunk that are chosen one after the other are read once") {
    val store = new MemoryStore
    val fields = Vector(Field(0, "n", Integer(64, signed = true), nullable = false))
    val _ = Files.write(store, "f", fields, FileVersion.V2_2, Vector(1000), RandomColumns.Anything, 0, 5)
    Using.resource(FileReader.open(store, "f", None)) { reader =>
      val (selection, chosen) = select(reader, store, Vector(ColumnRequest(0, fields.head)), 1000)
      val pages = (0 until 1000 by 10).flatMap { row =>
        store.forgetReads()
        chosen.append(Array(row, row + 3L, row + 7L), Array(0, 2), 2)
        assert(selection.select(2) == 2)
        selection.discard(2)
        chosen.drop(2)
        store.reads
      }
      assert(pages.distinct.size == pages.size && overlaps(pages).isEmpty)
    }
  }

  private def overlaps(ranges: Seq[ByteRange]): Seq[(ByteRange, ByteRange)] =
    for (a <- ranges; b <- ranges; if a != b && a.offset < b.end && b.offset < a.end) yield (a, b)

  private def check(store: MemoryStore, columns: Vector[ColumnRequest], rows: Int): Unit = {
    val expected = columns.map(scanned(store, _, rows))
    val random = new Random(11)
    for ((share, stretch) <- Seq((0.02, 300), (0.02, 1), (0.6, 40), (1.0, 300))) {
      val range = RowRange(random.nextInt(rows / 3).toLong, (rows - random.nextInt(rows / 3)).toLong)
      val wanted = (range.start until range.end).filter(_ => random.nextDouble() < share)
      Using.resource(FileReader.open(store, "f", None)) { reader =>
        val chosen = new ChosenRows
        val ahead = new ReadAhead(ReadBudget.whole(IoScheduler.shared.client(store.profile)))
        val selection = reader.select(columns, RowRanges(range), rows.toLong, chosen, ahead)
        val texts = selected(selection, chosen, wanted, stretch)
        columns.indices.foreach { i =>
          assert(texts.map(_(i)) == wanted.map(row => expected(i)(row.toInt)), columns(i).leaf.name)
        }
      }
    }
  }

  /** Reads rows in steps like a reader, and drops some rows after they were chosen. */
  private def selected(
      selection: FileSelection,
      chosen: ChosenRows,
      wanted: Seq[Long],
      stretch: Int
  ): Seq[Vector[String]] = {
    var left = wanted
    var appended = -1L
    val found = Vector.newBuilder[Vector[String]]
    while (left.nonEmpty) {
      val first = math.max(0, left.head - 2)
      val rows = Array.tabulate(stretch + 2)(first + _)
      val wanted = left.takeWhile(_ <= rows.last).toSet
      val positions = rows.indices.filter(i => rows(i) > appended && wanted(rows(i))).toArray
      chosen.append(rows, positions, positions.length)
      appended = math.max(appended, rows.last)
      val n = selection.select(chosen.count)
      assert(n > 0 && n <= chosen.count)
      (0 until n).foreach(i => found += selection.columns.map(ColumnText.at(_, i)))
      selection.discard(n)
      chosen.drop(n)
      left = left.drop(n)
    }
    found.result()
  }
}

private object FileSelectionSuite {

  /** A selection of all rows of a file, on demand. */
  private def select(
      reader: FileReader,
      store: MemoryStore,
      columns: Vector[ColumnRequest],
      rows: Long
  ): (FileSelection, ChosenRows) = {
    val chosen = new ChosenRows
    val ahead = new ReadAhead(ReadBudget.whole(IoScheduler.shared.client(store.profile)))
    (reader.select(columns, RowRanges(0, rows), rows, chosen, ahead), chosen)
  }

  private def listsOf(leaf: Leaf): Vector[Int] = leaf.around.collect {
    case field if isList(field.logicalType) => field.id
  }

  private def isList(logicalType: LogicalType): Boolean = logicalType match {
    case LogicalType.List(_, _) => true
    case _ => false
  }

  private def scanned(store: MemoryStore, column: ColumnRequest, rows: Int): Vector[String] =
    Using.resource(FileReader.open(store, "f", None)) { reader =>
      val scan = reader.scan(Vector(column), RowRange(0, rows.toLong), rows.toLong)
      val texts = Vector.newBuilder[String]
      var n = scan.fill(1000)
      while (n > 0) {
        texts ++= ColumnText.of(scan.columns.head, n)
        scan.advance(n)
        scan.columns.head.discardHead(n)
        n = scan.fill(1000)
      }
      texts.result()
    }
}
