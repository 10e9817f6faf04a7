package io.sparklance.dataset.scan

import scala.collection.immutable.ArraySeq
import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, FileVersion, Fixed64Block, RowRange, RowRanges, VariableBlock}
import io.sparklance.dataset.predicate.{BytesTest, NumberTest, Predicate}
import io.sparklance.dataset.write.FragmentWriter
import io.sparklance.io.ReadProfile
import io.sparklance.schema.LogicalType.{Integer, Utf8}
import io.sparklance.schema.{Field, LanceSchema, Leaf}
import io.sparklance.testkit.{DelegatingStore, MemoryStore, RoundsStore}

/** Requests of filtered reads from a distant store. */
class FilteredReadAheadSuite extends AnyFunSuite {
  import FilteredReadAheadSuite._

  private val scan = counted(Predicate.Always)

  test("a filter that keeps most rows takes about the requests and bytes of a scan") {
    val most = counted(within(0, 979))
    assert(most.rows > 0.97 * Rows && most.rows < 0.99 * Rows)
    assert(
      most.reads.size <= 1.5 * scan.reads.size,
      s"${most.reads.size} requests, ${scan.reads.size} of a scan"
    )
    assert(bytes(most) <= 1.05 * bytes(scan) && readTwice(most) == 0)
  }

  test("a split that begins within a page takes about the requests and bytes of a scan, too") {
    val split = RowRanges(70000, Rows)
    val all = counted(Predicate.Always, split, batchRows = 512)
    val most = counted(within(0, 979), split, batchRows = 512)
    assert(most.rows > 0.97 * split.count && most.rows < 0.99 * split.count)
    assert(
      most.reads.size <= 1.5 * all.reads.size,
      s"${most.reads.size} requests, ${all.reads.size} of a scan"
    )
    assert(bytes(most) <= 1.05 * bytes(all) && readTwice(most) == 0)
  }

  test("rows that statistics rule out are not read between others of a page") {
    // Most of the rows from the first to the last, and few of them.
    for (length <- Vector(38000L, 10000L)) {
      val ends = RowRanges.of(Vector(RowRange(0, length), RowRange(Rows - length, Rows.toLong)))
      val all = counted(Predicate.Always, ends)
      val most = counted(within(0, 979), ends)
      assert(most.rows > 0.97 * ends.count && most.rows < 0.99 * ends.count)
      assert(bytes(most) <= 1.05 * bytes(all) && bytes(all) < 1.2 * ends.count / Rows * bytes(scan))
    }
  }

  test("a filter that keeps few rows takes no more requests than a scan, and no byte twice") {
    val few = counted(within(0, 19))
    assert(few.rows > 0.01 * Rows && few.rows < 0.03 * Rows)
    assert(few.reads.size <= 2 * scan.reads.size, s"${few.reads.size} requests, ${scan.reads.size} of a scan")
    assert(bytes(few) <= 1.05 * bytes(scan) && readTwice(few) == 0)
  }

  test("a second filter reads its columns for rows that pass the first, and looks ahead, too") {
    val both =
      counted(Predicate.all(within(0, 19), Predicate.Passes(Leaf(Vector.empty, texts.last), endsWith("7"))))
    assert(both.rows > 0.001 * Rows && both.rows < 0.003 * Rows)
    assert(both.reads.size <= 3 * scan.reads.size && bytes(both) <= 1.05 * bytes(scan) &&
      readTwice(both) == 0)
  }

  test("a look-up of one row of 16 columns takes at most four rounds of requests") {
    val store = new RoundsStore(memory)
    val one = within(Special, Special)
    Using.resource(FragmentReader.open(store, task.copy(predicate = one), 4096)) { reader =>
      store.forgetRounds()
      assert(reader.next() && reader.rowCount == 1 && reader.position(0) == SpecialRow)
      assert(store.rounds <= 4)
      assert(!reader.next() && store.rounds <= 4)
    }
  }

  test("a few rows that are spread over a fragment take no more rounds than one row") {
    val store = new RoundsStore(new DelegatingStore(memory) {
      override def profile: ReadProfile = FilteredReadAheadSuite.profile
        .copy(readAhead = 64L << 20, maxGap = 1L << 10, minRequests = 256, maxRequests = 256)
    })
    val few = task.copy(predicate = within(0, 0), projection = Vector(numbers(0), numbers(1)))
    Using.resource(FragmentReader.open(store, few, 512)) { reader =>
      store.forgetRounds()
      val rows = Iterator.continually(reader.next()).takeWhile(identity).map(_ => reader.rowCount).sum
      assert(rows > 80 && rows < 160)
      assert(store.rounds <= 4)
    }
  }

  test("the first rows come before most others are read") {
    memory.forgetReads()
    Using.resource(FragmentReader.open(memory, task.copy(predicate = within(0, 979)), 4096)) { reader =>
      assert(reader.next() && reader.rowCount > 1000)
    }
    // The budget of the read-ahead, which is a third of the file.
    assert(memory.reads.map(_.length).sum < 0.5 * bytes(scan))
  }

  test("gaps between rows count against the budget of the read-ahead") {
    val store = new MemoryStore(profile.copy(readAhead = 1L << 20))
    val sparse = longTexts(store).copy(predicate = within(number))
    Using.resource(FragmentReader.open(store, sparse, 50)) { reader =>
      store.forgetReads()
      assert(reader.next())
      // Rows are 50 kB from each other, so that all gaps are read.
      val underWay = store.reads.map(_.length).sum
      assert(underWay < (3L << 20), s"$underWay bytes")
      val first = reader.rowCount
      val later = Iterator.continually(reader.next()).takeWhile(identity).map(_ => reader.rowCount)
      assert(first + later.sum == 200)
    }
  }

  test("a page that is broken fails when its rows are read, not before") {
    val store = new MemoryStore(profile.copy(readAhead = 1L << 20))
    val long = longTexts(store)
    val path = long.files.head.path
    val intact = store.bytes(path)
    // The words that tell of the chunks of the last page lie in front of its values.
    val onDemand = new MemoryStore(profile.copy(readAhead = 0, maxGap = 0))
    onDemand.put(path, intact)
    val opened =
      Using.resource(FragmentReader.open(onDemand, long.copy(projection = Vector(text)), 50)) { reader =>
        onDemand.forgetReads()
        while (reader.next()) ()
        // Pages have about the same number of chunks. The last one is short, and in memory with the end of
        // the file.
        onDemand.reads.filter(_.length == onDemand.reads.head.length).maxBy(_.offset)
      }
    val broken = intact.clone()
    java.util.Arrays.fill(broken, opened.offset.toInt, opened.end.toInt, (-1).toByte)
    // Pages that are read by one request, and others.
    Vector(store, new MemoryStore(profile)).foreach { store =>
      store.put(path, broken)
      Using.resource(FragmentReader.open(store, long.copy(predicate = within(number)), 50)) { reader =>
        assert(reader.next() && reader.rowCount > 0)
        val e = intercept[LanceFormatException](while (reader.next()) ())
        assert(e.location.column.contains("text") && e.location.page.exists(_ > 0))
      }
    }
  }
}

private object FilteredReadAheadSuite {
  private val number = Field(0, "number", Integer(64, signed = true), nullable = false)
  private val text = Field(1, "text", Utf8(large = false), nullable = true)

  private def leaf(field: Field): Leaf = Leaf(Vector.empty, field)
  private def within(field: Field): Predicate = Predicate.Passes(leaf(field), NumberTest.Within(0, 0))

  /** A fragment of 20,000 rows of 500 bytes, in pages of about 2 MB; each hundredth row has the number 0. */
  private def longTexts(store: MemoryStore): FragmentTask = {
    val writer = new FragmentWriter(store, "/l", LanceSchema(Vector(number, text)), FileVersion.V2_2, 2000000)
    val random = new Random(8)
    for (row <- 0 until 20000) {
      writer.columns.foreach { column =>
        column.nulls.appendValid(1)
        column.values match {
          case block: Fixed64Block => block.append(row % 100L)
          case block: VariableBlock =>
            val bytes = new Array[Byte](500)
            random.nextBytes(bytes)
            block.append(bytes, 0, bytes.length)
          case other => throw new IllegalStateException(s"$other")
        }
      }
      writer.rowWritten()
    }
    val file = writer.finish()
    val source =
      FileSource(s"/l/data/${file.fileName}", Some(file.sizeBytes), file.fieldIds, file.columnIndices)
    FragmentTask(0, Vector(source), file.rows, None, RowRanges(0, file.rows), Vector(number, text))
  }

  private val Rows = 120000
  final private val Special = 5000L
  final private val SpecialRow = 77777L
  private val numbers =
    Vector.tabulate(12)(i => Field(i, s"n$i", Integer(64, signed = true), nullable = false))
  private val texts = Vector.tabulate(4)(i => Field(12 + i, s"t$i", Utf8(large = false), nullable = true))
  private val profile = ReadProfile.remote("filtered ahead").copy(minRequests = 64, readAhead = 6L << 20)
  private val memory = new MemoryStore(profile)

  /** A fragment of 16 columns; the first has random numbers below 1000, and a single other one. */
  private val task: FragmentTask = {
    val columns = LanceSchema(numbers ++ texts)
    val writer =
      new FragmentWriter(memory, "/t", columns, FileVersion.V2_2, FragmentWriter.DefaultPageBytes)
    val random = new Random(5)
    for (row <- 0 until Rows) {
      writer.columns.zipWithIndex.foreach { case (column, i) =>
        column.nulls.appendValid(1)
        column.values match {
          case block: Fixed64Block =>
            val key = if (row == SpecialRow) Special else random.nextInt(1000).toLong
            block.append(if (i == 0) key else random.nextLong())
          case block: VariableBlock =>
            val text = s"${random.nextLong()} of row $row"
            block.append(text.getBytes, 0, text.length)
          case other => throw new IllegalStateException(s"$other")
        }
      }
      writer.rowWritten()
    }
    val file = writer.finish()
    val source =
      FileSource(s"/t/data/${file.fileName}", Some(file.sizeBytes), file.fieldIds, file.columnIndices)
    FragmentTask(0, Vector(source), file.rows, None, RowRanges(0, file.rows), numbers ++ texts)
  }

  private def within(least: Long, most: Long): Predicate =
    Predicate.Passes(Leaf(Vector.empty, numbers.head), NumberTest.Within(least, most))

  private def endsWith(end: String) = BytesTest.EndsWith(ArraySeq.unsafeWrapArray(end.getBytes))

  final private case class Counted(rows: Int, reads: Vector[ByteRange])

  /** Reads all rows that pass, and counts from when the fragment is open. */
  private def counted(
      predicate: Predicate,
      split: RowRanges = task.rows,
      batchRows: Int = 4096
  ): Counted = {
    val part = task.copy(predicate = predicate, rows = split)
    Using.resource(FragmentReader.open(memory, part, batchRows)) { reader =>
      memory.forgetReads()
      val rows = Iterator.continually(reader.next()).takeWhile(identity).map(_ => reader.rowCount).sum
      Counted(rows, memory.reads)
    }
  }

  private def bytes(counted: Counted): Long = counted.reads.map(_.length).sum

  /** Bytes that were read more than once. */
  private def readTwice(counted: Counted): Long = {
    val sorted = counted.reads.sortBy(_.offset)
    sorted.zip(sorted.drop(1)).map { case (a, b) => math.max(0, a.end - b.offset) }.sum
  }
}
