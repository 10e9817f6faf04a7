package io.sparklance.dataset.backfill

import scala.util.Random

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.{Column, FileVersion, Fixed32Block, Fixed64Block, RowRanges, VariableBlock}
import io.sparklance.dataset.scan.{ScanPlan, SplitReader, SplitTarget}
import io.sparklance.dataset.snapshot.RowAddress
import io.sparklance.dataset.write.{FragmentWriter, PageCounts, PageSizes, WrittenFile}
import io.sparklance.dataset.{Dataset, RowOperations, TableDefinition}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.table.WriteId
import io.sparklance.table.transaction.Operation
import io.sparklance.testkit.{ColumnText, MemoryStore}
import io.sparklance.{CommitConflictException, LanceUsageException, RetryableCommitConflictException}

class ColumnValuesSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val id = Field(0, "id", LogicalType.Integer(32, signed = true), nullable = false)
  private val word = Field(1, "word", LogicalType.Utf8(large = false), nullable = true)
  private val extra = Field(2, "extra", LogicalType.Integer(64, signed = true), nullable = true)
  private val schema = LanceSchema(Vector(id, word))

  private def int(column: Column, value: Int): Unit = column.values match {
    case block: Fixed32Block => block.append(value); column.nulls.appendValid(1)
    case other => fail(s"$other")
  }

  private def long(column: Column, value: Long): Unit = column.values match {
    case block: Fixed64Block => block.append(value); column.nulls.appendValid(1)
    case other => fail(s"$other")
  }

  private def text(column: Column, value: String): Unit = column.values match {
    case block: VariableBlock => block.append(value.getBytes, 0, value.length); column.nulls.appendValid(1)
    case other => fail(s"$other")
  }

  /** A table with one fragment for each number of rows. `id` numbers all rows. */
  private def table(store: MemoryStore, version: FileVersion, rows: Int*): Dataset = {
    val firsts = rows.scanLeft(0)(_ + _)
    val files = rows.zip(firsts).map { case (count, first) =>
      val writer = new FragmentWriter(store, "/t", schema, version)
      (first until first + count).foreach { i =>
        int(writer.columns(0), i)
        text(writer.columns(1), s"w$i")
        writer.rowWritten()
      }
      writer.finish()
    }
    Dataset.create(store, "/t", TableDefinition(schema, version), files.toVector)
  }

  private def format(values: ColumnValues, pages: PageSizes = PageSizes(8192, None)) =
    ColumnsFormat(values.columns, values.dataset.fileVersion, pages, WriteId.random())

  /** The values of the columns of all live rows, by their names. */
  private def read(dataset: Dataset, names: String*): Map[String, Vector[String]] = {
    val fields = dataset.schema.fields.filter(f => names.contains(f.name))
    val splits = ScanPlan.splits(dataset, fields, SplitTarget.Rows(1 << 30))
    val batches = splits.flatMap { split =>
      val reader = new SplitReader(dataset.store, split, 100)
      Iterator.continually(reader.next()).takeWhile(identity)
        .map(_ => reader.columns.map(ColumnText.of(_, reader.rowCount))).toVector
    }
    fields.indices.map(i => fields(i).name -> batches.flatMap(_(i))).toMap
  }

  /** Numbers as they are stored. */
  private def ints(values: Seq[Int]): Vector[String] =
    values.toVector.map(v => f"${Integer.reverseBytes(v)}%08x")
  private def longs(values: Seq[Int]): Vector[String] =
    values.toVector.map(v => f"${java.lang.Long.reverseBytes(v.toLong)}%016x")

  private def deleting(dataset: Dataset, rows: Seq[(Long, Long)]): Dataset =
    if (rows.isEmpty) dataset
    else {
      val addresses = RowRanges.ofRows(rows.map { case (f, row) => RowAddress.of(f, row) }.toArray)
      dataset.commit(RowOperations.delete(dataset, addresses, "")).dataset
    }

  private def adding(dataset: Dataset): AddedColumns =
    new AddedColumns(dataset, LanceSchema(Vector(id, word, extra)))

  test(
    "rows that are given values have these, others keep theirs, whichever they are and whatever was deleted"
  ) {
    val cases = Gen.zip(
      Gen.oneOf(FileVersion.V2_0, FileVersion.V2_1, FileVersion.V2_2),
      Gen.oneOf(1, 7, 3000, 40000),
      Gen.oneOf(0.0, 0.001, 0.5, 1.0),
      Gen.oneOf(0.0, 0.3),
      Gen.oneOf(PageSizes(8192, None), PageSizes(100, Some(8192))),
      Gen.long
    )
    forAll(cases, minSuccessful(25)) { case (version, rows, given, gone, pages, seed) =>
      val random = new Random(seed)
      val store = new MemoryStore
      val dead = (0L until rows.toLong).filter(_ => random.nextDouble() < gone).drop(1)
      val dataset = deleting(table(store, version, rows), dead.map(0L -> _))
      val isDead = dead.toSet
      val values = new ReplacedColumns(dataset, schema)
      val task = values.tasks.head
      val writer = new FragmentColumns(store, "/t", task, format(values, pages))
      val changed = (0 until rows).filter(_ => random.nextDouble() < given).toSet
      changed.toVector.sorted.foreach { row =>
        writer.skipTo(row.toLong)
        int(writer.columns(0), -row)
        text(writer.columns(1), "new")
        writer.rowsWritten(1)
      }
      val after = values.commit(Vector(writer.finish())).dataset
      val live = (0 until rows).filterNot(row => isDead(row.toLong))
      val found = read(after, "id", "word")
      assert(found("id") == ints(live.map(i => if (changed(i)) -i else i)))
      val old = read(dataset, "word")("word")
      assert(found("word").zip(old).map { case (now, before) => now == before } == live.map(!changed(_)))
    }
  }

  test("new columns have values for all rows that are not deleted, or the error names a row without one") {
    FileVersion.writable.foreach { version =>
      val store = new MemoryStore
      val dataset = deleting(table(store, version, 10, 5), Seq(0L -> 0L, 0L -> 9L, 1L -> 3L))
      val values = adding(dataset)
      def write(task: ColumnsTask, rows: Seq[Int]): FilledFragment = {
        val writer = new FragmentColumns(store, "/t", task, format(values))
        rows.foreach { row =>
          writer.skipTo(row.toLong)
          long(writer.columns(0), row * 10L)
          writer.rowsWritten(1)
        }
        writer.finish()
      }
      val (first, second) = (values.tasks.head, values.tasks.last)
      assert(values.required.map(_.id) == Vector(0, 1))
      val e = intercept[LanceUsageException](write(first, Seq(1, 2, 4)))
      assert(e.getMessage.contains("row 3 of fragment 0"))
      assert(intercept[LanceUsageException](write(second, 0 to 3)).getMessage.contains("row 4 of fragment 1"))
      val filled = Vector(write(first, 1 to 8), write(second, Seq(0, 1, 2, 3, 4)))
      val after = values.commit(filled).dataset
      assert(read(after, "extra")("extra") == longs(((1 to 8) ++ Seq(0, 1, 2, 4)).map(_ * 10)))
      assert(read(after, "id")("id") == read(dataset, "id")("id"))
    }
  }

  test("pages that columns cannot buffer are put together from parts") {
    val values = adding(table(new MemoryStore, FileVersion.V2_2, 4000))
    def pages(sizes: PageSizes): PageCounts = {
      val writer = new FragmentColumns(values.dataset.store, "/t", values.tasks.head, format(values, sizes))
      (0L until 4000L).foreach { row =>
        long(writer.columns(0), row)
        writer.rowsWritten(1)
      }
      writer.finish().file.pages
    }
    assert(pages(PageSizes(160, Some(16000))) == PageCounts(compressed = 2))
    assert(pages(PageSizes(160, None)).runts > 100)
  }

  private def filled(values: ColumnValues): Vector[FilledFragment] = values.tasks.map { task =>
    val writer = new FragmentColumns(values.dataset.store, "/t", task, format(values))
    (0L until task.physicalRows).foreach { row =>
      long(writer.columns(0), row)
      writer.rowsWritten(1)
    }
    writer.finish()
  }

  test("a commit follows deletions of others, and no other change of fragments") {
    val store = new MemoryStore
    val values = adding(table(store, FileVersion.V2_2, 10, 10, 10))
    val done = filled(values)
    deleting(Dataset.open(store, "/t"), Seq(0L -> 4L) ++ (0L until 10L).map(1L -> _))
    val after = values.commit(done).dataset
    assert(after.fragments.map(_.id) == Vector(0, 2) && read(after, "extra")("extra").size == 19)
    assert(after.version == 3)
    val other = new ReplacedColumns(after, LanceSchema(Vector(extra)))
    val again = filled(other)
    val writer = new FragmentWriter(store, "/t", after.schema, FileVersion.V2_2)
    int(writer.columns(0), 1)
    text(writer.columns(1), "")
    long(writer.columns(2), 1)
    writer.rowWritten()
    after.append(Vector(writer.finish()))
    // Rows that are appended keep their values. With a deletion besides, they could be others that were
    // moved.
    assert(other.commit(again).dataset.version == 5)
    deleting(Dataset.open(store, "/t"), Seq(0L -> 5L))
    val _ = intercept[RetryableCommitConflictException](other.commit(again))
  }

  test("a commit does not follow deleted rows that others bring back meanwhile: they would be null") {
    val store = new MemoryStore
    val values = adding(deleting(table(store, FileVersion.V2_2, 10, 10), Seq(0L -> 3L)))
    val done = filled(values)
    deleting(Dataset.open(store, "/t"), Seq(1L -> 4L))
    val _ = Dataset.open(store, "/t").commit(Operation.Restore(1))
    val _ = intercept[CommitConflictException](values.commit(done))
    assert(Dataset.open(store, "/t").version == 4)
  }

  test("recorded fragments of a job are reused unless rows deleted then have come back") {
    val store = new MemoryStore
    val whole = table(store, FileVersion.V2_2, 10, 10)
    val dataset = deleting(whole, Seq(0L -> 3L))
    val values = adding(dataset)
    val folder = JobFolder.of(values, "job")
    values.tasks.zip(filled(values)).foreach { case (task, f) => folder.note(store, task, f) }
    def found(of: Dataset): Vector[Long] =
      JobFolder.of(adding(of), "job").finished(store, adding(of)).map(_.id)
    assert(found(dataset) == Vector(0, 1) && found(whole) == Vector(1))
    assert(found(deleting(dataset, Seq(0L -> 5L))) == Vector(0, 1))
    val _ = Dataset.open(store, "/t").commit(Operation.Restore(1))
    val others = deleting(Dataset.open(store, "/t"), Seq(0L -> 4L, 0L -> 6L))
    assert(found(others) == Vector(1))
    val same = deleting(others, Seq(0L -> 3L))
    assert(found(same) == Vector(0, 1))
    // Which rows were deleted then, nobody knows any more.
    store.delete(store.paths.find(_.startsWith(s"/t/_deletions/0-${whole.version}-")).get)
    assert(found(same) == Vector(1))
  }

  test("a note of other columns than the job's counts for nothing") {
    val store = new MemoryStore
    val dataset = table(store, FileVersion.V2_2, 10)
    val values = adding(dataset)
    val (task, done) = (values.tasks.head, filled(values).head)
    val folder = JobFolder.of(values, "job")
    def found(file: WrittenFile): Boolean = {
      folder.note(store, task, done.copy(file = file))
      folder.finished(store, values).nonEmpty
    }
    assert(found(done.file))
    assert(!found(done.file.copy(fieldIds = Vector(0))) && !found(done.file.copy(columnIndices = Vector(1))))
    assert(!found(done.file.copy(fieldIds = Vector(2, 0), columnIndices = Vector(0, 0))))
    assert(!found(done.file.copy(version = FileVersion.V2_1)))
    assert(found(done.file))
    def of(meaning: Option[String]) = JobFolder.of(values, "job", meaning).finished(store, values).size
    assert(of(None) == 1 && of(Some("id * 2")) == 0)
  }

  test("recorded fragments of a job are reused if they exist and have the same files and columns") {
    val store = new MemoryStore
    val dataset = table(store, FileVersion.V2_2, 10, 10)
    val values = adding(dataset)
    val done = filled(values)
    val folder = JobFolder.of(values, "job")
    assert(folder.finished(store, values).isEmpty)
    values.tasks.zip(done).foreach { case (task, f) => folder.note(store, task, f) }
    def found(of: ColumnValues): Vector[FilledFragment] =
      JobFolder.of(of, "job").finished(of.dataset.store, of)
    assert(found(values).map(_.file) == done.map(_.file.copy(pages = PageCounts())))
    assert(folder.files(store) == done.map(_.file.fileName).toSet)
    assert(found(adding(deleting(dataset, Seq(0L -> 3L)))).size == 2)
    assert(found(new ReplacedColumns(dataset, LanceSchema(Vector(word)))).isEmpty)
    val wider = LanceSchema(Vector(id, word, extra.copy(logicalType = LogicalType.FloatingPoint(64))))
    assert(found(new AddedColumns(dataset, wider)).isEmpty)
    store.delete(s"/t/data/${done.head.file.fileName}")
    assert(found(values).map(_.id) == Vector(1))
    val notes = store.paths.filter(_.startsWith("/t/_sparklance/job/"))
    notes.foreach(path => store.put(path, store.bytes(path).take(20)))
    assert(found(values).isEmpty)
    notes.foreach(path => store.put(path, Array.fill(40)(0xff.toByte)))
    assert(found(values).isEmpty)
    folder.remove(store)
    assert(!store.paths.exists(_.contains("_sparklance")))
  }

  test("names of jobs are names of directories") {
    assert(Seq("a", "J-1", "x.y_z", "-").forall(JobFolder.isJob))
    assert(!Seq("", ".", "..", "a/b", "a b", ".x", "x" * 101).exists(JobFolder.isJob))
  }
}
