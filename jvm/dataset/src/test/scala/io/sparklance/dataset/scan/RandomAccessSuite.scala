package io.sparklance.dataset.scan

import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.atomic.AtomicInteger

import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{ByteRange, FileVersion, RowRanges}
import io.sparklance.dataset.write.{FragmentWriter, WriteSchema}
import io.sparklance.io.{FileStamp, ObjectStore, ReadProfile, ReadableFile}
import io.sparklance.schema.LogicalType.{FixedSizeList, FloatingPoint, Integer, List, Struct, Utf8}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.testkit.{Blocks, DelegatingFile, DelegatingStore, MemoryStore}

/** Requests that single rows of a file take, by the type of the column. */
class RandomAccessSuite extends AnyFunSuite {
  import RandomAccessSuite._

  /** @param first
    *   requests for a row of an open file, while nothing of the page is kept
    * @param later
    *   requests for a row of another chunk of the page
    */
  private case class Case(name: String, column: TestColumn, first: Int, later: Int)

  private def assertTaken(table: Table, rows: Int*): Unit = {
    val _ = assert(table.take(rows) == table.expected(rows))
  }

  private val cases = Vector(
    Case("a number", ints, first = 2, later = 1),
    Case("a decimal in compressed chunks", decimals, first = 2, later = 1),
    Case("a key in compressed runs", keys, first = 2, later = 1),
    Case("a string", texts(letters), first = 2, later = 1),
    Case("a string with FSST", texts(sentence), first = 2, later = 1),
    Case("a string with a dictionary", texts(i => s"the value with number ${i.nextInt(300)}"), 3, 1),
    Case("a list", list(ints), first = 3, later = 1),
    Case("a list of lists of strings", list(list(texts(_.nextInt(1000000).toString))), first = 3, later = 1),
    Case("a packed struct", packed, first = 2, later = 1),
    Case("a struct of two columns", struct, first = 4, later = 2),
    Case("an embedding", embedding, first = 1, later = 1),
    Case("a string in a full-zip page", fullZip(texts(letters)), 2, later = 2),
    Case("a list in a full-zip page", fullZip(list(ints)), first = 2, later = 2)
  )

  for {
    version <- Seq(FileVersion.V2_1, FileVersion.V2_2)
    profile <- Seq(ReadProfile.Local, ReadProfile.remote("random access").copy(maxGap = 16L << 10))
    one <- cases
  } test(s"$version, ${profile.lane}: ${one.name} takes ${one.first} requests, later ${one.later}") {
    val table = new Table(one.column, version, profile)
    // All of one page, though lists of lists fill more than one.
    assertTaken(table, 10000)
    val first = table.reads.size
    assert(first <= one.first, table.reads)
    assertTaken(table, 7)
    assert(table.reads.size - first <= one.later, table.reads)
    assertTaken(table, 18000)
    assert(table.reads.size - first <= 2 * one.later, table.reads)
    assert(areDisjoint(table.reads), table.reads)
    assert(table.reads.map(_.length).sum <= MostBytes, table.reads)
    val before = table.reads.size
    assertTaken(table, 3, 9000, 17000, 17001)
    assert(table.reads.size - before <= 4 * one.later, table.reads.drop(before))
  }

  test("of a long repetition index only the blocks that rows need are read, and a short one at once") {
    val table = new Table(fullZip(texts(letters)), FileVersion.V2_2, ReadProfile.Local, ManyRows)
    assertTaken(table, 20000)
    assert(table.reads.map(_.length).sum < 17000, table.reads)
    // A row of the same block.
    assertTaken(table, 20010)
    assert(table.reads.size == 3, table.reads)
    assertTaken(table, (0 until ManyRows by 300): _*)
    assertTaken(table, (0 until ManyRows): _*)
    val short = new Table(fullZip(texts(letters)), FileVersion.V2_2, ReadProfile.Local, rows = 1000)
    assertTaken(short, 10)
    assertTaken(short, 990)
    assert(short.reads.size <= 3, short.reads)
  }

  test("rows at the ends of a repetition index and of its blocks are found") {
    val table =
      new Table(fullZip(texts(_.nextInt(1000).toString)), FileVersion.V2_2, ReadProfile.Local, ManyRows)
    for (row <- Seq(0, 1, 4094, 4095, 4096, 4097, 8191, 8192, ManyRows - 2, ManyRows - 1))
      assertTaken(table, row)
    assertTaken(table, 4095, 4096, 4097, 15000, ManyRows - 1)
  }

  test("a small page takes one request, and no byte of it is read twice") {
    val table = new Table(list(ints), FileVersion.V2_2, ReadProfile.remote("small pages"), rows = 20000)
    assertTaken(table, 100)
    assert(table.reads.size == 1, table.reads)
  }

  test("a page among the last bytes of a file takes no request, because these were read to open it") {
    val table = new Table(list(ints), FileVersion.V2_2, ReadProfile.Local, rows = 500)
    assertTaken(table, 100)
    assert(table.reads.isEmpty, table.reads)
  }
}

private object RandomAccessSuite {
  final private val Rows = 30000

  /** Rows of a page whose repetition index is long. */
  final private val ManyRows = 50000

  /** Most bytes of three chunks and of all that opens a page. */
  final private val MostBytes = 200000L

  private val stores = new AtomicInteger
  private val int = Integer(32, signed = true)

  /** A column, and how its values are made. */
  final private case class TestColumn(field: Field, value: Random => Any)

  private def of(logical: LogicalType, children: Field*): Field =
    Field(0, "c", logical, nullable = true, children.toVector)
  private val ints = TestColumn(of(int), _.nextInt().toLong)
  private val decimals = TestColumn(
    of(LogicalType.Decimal(128, 9, 2)),
    random => {
      val cents = random.nextInt(2000000);
      Vector.tabulate(16)(k => if (k < 4) (cents >> 8 * k).toByte else 0.toByte)
    }
  )

  /** Each of them about four times in a row. */
  private val keys = {
    var key = 0L
    TestColumn(
      of(Integer(64, signed = true)),
      random => { if (random.nextInt(4) == 0) key = random.nextInt(1 << 24).toLong; key }
    )
  }
  private def texts(make: Random => String): TestColumn =
    TestColumn(of(Utf8(large = false)), random => make(random).getBytes(UTF_8).toVector)
  private def letters(random: Random): String = random.alphanumeric.take(20).mkString
  private def sentence(random: Random): String =
    Vector.fill(6)(Words(random.nextInt(Words.size))).mkString(" ")
  private val Words =
    Vector("carefully", "furiously", "ironic", "deposits", "requests", "sleep", "among", "the")

  private def list(items: TestColumn): TestColumn = TestColumn(
    of(List(large = false, ofStruct = false), items.field.copy(name = "item")),
    random => Vector.fill(random.nextInt(3))(Some(items.value(random)))
  )
  private val struct = TestColumn(
    of(Struct, ints.field.copy(name = "a"), ints.field.copy(name = "b")),
    random => Vector.fill(2)(Some(ints.value(random)))
  )
  private val packed = TestColumn(
    of(Struct, ints.field.copy(name = "a", nullable = false), ints.field.copy(name = "b", nullable = false))
      .copy(metadata = Map("lance-encoding:packed" -> "true")),
    struct.value
  )
  private val embedding = fullZip(
    TestColumn(of(FixedSizeList(FloatingPoint(32), 64)), r => Vector.fill(64)(r.nextInt(1000).toLong))
  )
  private def fullZip(column: TestColumn): TestColumn = column.copy(field =
    column.field.copy(metadata = Map("lance-encoding:structural-encoding" -> "fullzip"))
  )

  private def areDisjoint(reads: Vector[ByteRange]): Boolean = {
    val sorted = reads.sortBy(_.offset)
    sorted.zip(sorted.drop(1)).forall { case (a, b) => a.end <= b.offset }
  }

  /** An open file of one page of one column, in a store of its own. */
  final private class Table(
      column: TestColumn,
      version: FileVersion,
      profile: ReadProfile,
      rows: Int = Rows
  ) {
    private val random = new Random(3)
    private val schema = WriteSchema.forNewTable(LanceSchema(Vector(column.field)))
    private val values = Vector.fill(rows)(Option(column.value(random)))
    private val memory = new MemoryStore(profile)
    private val store = stamped(memory)
    private val file = {
      val writer = new FragmentWriter(memory, "/t", schema, version, maxPageBytes = 64L << 20)
      values.foreach { value =>
        Blocks.appendRow(writer.columns.head, value)
        writer.rowWritten()
      }
      writer.finish()
    }
    FragmentReader.open(store, task(RowRanges(0, 1)), 1).close()
    memory.forgetReads()

    def reads: Vector[ByteRange] = memory.reads
    def expected(wanted: Seq[Int]): Seq[Option[Any]] = wanted.map(values)

    def take(wanted: Seq[Int]): Seq[Option[Any]] =
      Using.resource(FragmentReader.open(store, task(RowRanges.ofRows(wanted.map(_.toLong).toArray)), 4096)) {
        reader =>
          Iterator.continually(reader.next()).takeWhile(identity)
            .flatMap(_ => Blocks.rows(reader.columns.head).take(reader.rowCount)).toVector
      }

    private def task(wanted: RowRanges): FragmentTask = {
      val path = s"/t/data/${file.fileName}"
      val source = FileSource(path, Some(file.sizeBytes), file.fieldIds, file.columnIndices)
      FragmentTask(0, Vector(source), file.rows, None, wanted, schema.fields)
    }
  }

  /** Gives each file a stamp that no other has. */
  private def stamped(inner: ObjectStore): ObjectStore = {
    val lane = s"random access ${stores.incrementAndGet()}"
    new DelegatingStore(inner) {
      override def open(path: String, knownSize: Option[Long]): ReadableFile =
        new DelegatingFile(super.open(path, knownSize)) {
          override def stamp: Option[FileStamp] = Some(FileStamp(lane, this.path, size, 0))
        }
    }
  }
}
