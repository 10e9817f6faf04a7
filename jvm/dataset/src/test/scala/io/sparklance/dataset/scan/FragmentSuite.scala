package io.sparklance.dataset.scan

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.write.FragmentWriter
import io.sparklance.testkit.MemoryStore

class FragmentSuite extends AnyFunSuite with Fragments {
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

  test("a task can be sent to an executor") {
    val store = new MemoryStore
    val (file, _) = write(store, fields, 1, 1000)
    val out = new java.io.ByteArrayOutputStream
    val whole = deleting(store, task(file, fields), Seq(0))
    new java.io.ObjectOutputStream(out).writeObject(whole)
    val in = new java.io.ObjectInputStream(new java.io.ByteArrayInputStream(out.toByteArray))
    assert(in.readObject() == whole)
  }
}
