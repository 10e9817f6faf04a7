package io.sparklance.file

import scala.util.Using

import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Millis, Seconds, Span}

import io.sparklance.data.{ByteRange, FileVersion, RowRange}
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.io.{IoScheduler, ObjectStore, ReadBudget, ReadProfile, ReadableFile}
import io.sparklance.schema.LanceSchema
import io.sparklance.schema.LogicalType.Integer
import io.sparklance.testkit.{
  ColumnText,
  DelegatingFile,
  DelegatingStore,
  GatedFile,
  MemoryStore,
  RandomColumns
}

class ReadAheadSuite extends AnyFunSuite with Eventually {
  implicit override val patienceConfig: PatienceConfig = PatienceConfig(Span(20, Seconds), Span(5, Millis))

  private val fields = RandomColumns.fields(Vector.fill(3)(Integer(64, signed = true)))
  // Rows of each column's pages: many, some, few.
  private val pageRows = Vector(1000, 3000, 12000)
  private val rows = 24000
  private val path = "f"

  /** One request at a time, one window each. */
  private def profile(readAhead: Long, maxGap: Long = 0): ReadProfile =
    ReadProfile("one by one", 1, readAhead, maxGap, maxLength = 1L << 20)

  private def write(store: MemoryStore): Unit = {
    val writer = new FileWriter(store.create(path), LanceSchema(fields), FileVersion.V2_2)
    val random = new scala.util.Random(5)
    fields.zipWithIndex.foreach { case (field, index) =>
      for (firstRow <- 0 until rows by pageRows(index)) {
        val column = RandomColumns.column(field)
        RandomColumns.fill(column, field, pageRows(index), RandomColumns.Anything, 0, random)
        writer.writePage(index, PrimitiveField.encode(column, field, FileVersion.V2_2), firstRow.toLong)
      }
    }
    val _ = writer.finish()
    store.forgetReads()
  }

  private def scanning[A](store: ObjectStore)(body: FileScan => A): A =
    Using.resource(FileReader.open(store, path, None)) { reader =>
      body(
        reader.scan(
          fields.indices.map(i => ColumnRequest(i, fields(i))).toVector,
          RowRange(0, rows.toLong),
          rows.toLong
        )
      )
    }

  private def readBatch(scan: FileScan): Vector[Vector[String]] = {
    val n = scan.fill(500)
    scan.advance(n)
    val texts = scan.columns.map(ColumnText.of(_, n))
    scan.columns.foreach(_.discardHead(n))
    texts
  }

  private def readAll(scan: FileScan): Vector[Vector[String]] =
    Iterator.continually(readBatch(scan)).takeWhile(_.head.nonEmpty).reduce { (a, b) =>
      a.zip(b).map { case (before, after) => before ++ after }
    }

  /** The first rows of the pages in whose values a read begins, in the order of the reads. */
  private def rowsOfReads(store: MemoryStore): Vector[Long] = {
    // Pages stand column by column; each has a small buffer of words and then, at a multiple of 64, its
    // values.
    val reads = store.reads.filter(_.length > 1000)
    val perColumn = fields.indices.map(i => rows / pageRows(i))
    val inFile = reads.map(_.offset).sorted.zipWithIndex.toMap
    val firstRows = fields.indices.flatMap(c => (0 until perColumn(c)).map(p => p.toLong * pageRows(c)))
    assert(reads.size == firstRows.size + 1, "one for the tail, one for each page")
    reads.tail.map(r => firstRows(inFile(r.offset)))
  }

  test("reads are asked for by the rows at which they begin, across columns whose pages differ") {
    val store = new MemoryStore(profile(readAhead = 64L << 20))
    write(store)
    val _ = scanning(store)(readAll)
    val order = rowsOfReads(store)
    assert(order == order.sorted)
  }

  test("read ahead or when it is needed, the values are the same") {
    val stores = Vector(0L, 1L, 30000L, 1L << 30).map(ahead => new MemoryStore(profile(ahead)))
    stores.foreach(write)
    val all = stores.map(scanning(_)(readAll))
    assert(all.forall(_ == all.head) && all.head.forall(_.size == rows))
  }

  test("the bytes that open the pages of all columns are requested at once") {
    val store =
      // Pages are longer than requests may be.
      new MemoryStore(ReadProfile("at once", 100, readAhead = 64L << 20, maxGap = 0, maxLength = 5000))
    write(store)
    val gated = new GatedFile
    val delayed = new DelegatingStore(store) {
      override def open(path: String, knownSize: Option[Long]): ReadableFile =
        new DelegatingFile(super.open(path, knownSize)) {
          override def read(range: ByteRange, target: Array[Byte], at: Int): Unit = {
            if (range.offset < size - FileTail.Bytes) gated.read(ByteRange(0, 0), target, at)
            super.read(range, target, at)
          }
        }
    }
    val reading = new Thread(() => { val _ = scanning(delayed)(readBatch) })
    reading.start()
    // The first two pages of each.
    eventually(assert(gated.offsets.size == 6))
    gated.letThrough(1000)
    reading.join()
  }

  test("a task does not ask for more than it may hold until it has decoded some") {
    val store = new MemoryStore(profile(readAhead = 100L << 10))
    write(store)
    scanning(store) { scan =>
      val _ = readBatch(scan)
      Thread.sleep(50)
      val asked = store.reads.tail.map(_.length).sum
      // Besides, each column has the page that it decodes: of 8, 24 and 96 kB.
      assert(asked < (100L << 10) + 3 * (100L << 10), s"$asked bytes")
      assert(readAll(scan).head.size == rows - 500)
    }
  }

  test("a scan that is closed early stops asking") {
    val store = new MemoryStore(profile(readAhead = 50L << 10))
    write(store)
    scanning(store)(readBatch)
    val asked = store.reads.size
    Thread.sleep(50)
    // One may have been under way.
    assert(store.reads.size <= asked + 1)
  }

  test("near ranges are read together, also of different columns, and huge ones in parts") {
    val store = new MemoryStore(profile(readAhead = 0, maxGap = 50).copy(maxLength = 1000))
    val content = Array.tabulate(10000)(i => (i % 251).toByte)
    store.put(path, content)
    val io = IoScheduler.shared.client(store.profile)
    val reads = new Fetcher(TailedFile.unread(store.open(path)), io, ReadBudget.whole(io), 3, new ScanCounts)
    val ranges =
      Vector(ByteRange(130, 70), ByteRange(0, 100), ByteRange(251, 9), ByteRange(5000, 2500), ByteRange(7, 0))
    val fetches = ranges.map(range => reads.fetch(Vector(range), row = 0))
    reads.begin(fetches)
    fetches.zip(ranges).foreach { case (fetch, range) =>
      val bytes = reads.await(fetch).head
      assert(bytes.toArray.sameElements(content.slice(range.offset.toInt, range.end.toInt)))
    }
    val wanted = Vector((0L, 200L), (251L, 9L), (5000L, 1000L), (6000L, 1000L), (7000L, 500L))
    assert(store.reads == wanted.map { case (from, length) => ByteRange(from, length) })
    fetches.foreach(reads.release)
    assert(io.room == 0)
  }

  test("a page takes one request where the pages of all columns fit into the budget") {
    val store = new MemoryStore(profile(readAhead = 64L << 20))
    write(store)
    val _ = scanning(store)(readAll)
    assert(store.reads.size == 1 + pageRows.map(rows / _).sum)
  }

  test("a page that is broken fails the scan when it gets there, not before") {
    val store = new MemoryStore(profile(readAhead = 1000))
    write(store)
    val bytes = store.bytes(path).clone()
    // The words that tell of the last page's chunks lie in front of its values.
    val last = scanning(store) { scan =>
      val _ = readAll(scan)
      store.reads.filter(_.length < 1000).maxBy(_.offset)
    }
    java.util.Arrays.fill(bytes, last.offset.toInt, last.end.toInt, (-1).toByte)
    val whole = new MemoryStore(profile(readAhead = 64L << 20))
    Vector(store, whole).foreach(_.put(path, bytes))
    for (broken <- Vector(store, whole)) scanning(broken) { scan =>
      for (_ <- 0 until 12000 / 500) assert(readBatch(scan).head.size == 500)
      val e = intercept[io.sparklance.LanceFormatException](readBatch(scan))
      assert(e.location.column.contains("c2") && e.location.page.contains(1))
    }
  }
}
