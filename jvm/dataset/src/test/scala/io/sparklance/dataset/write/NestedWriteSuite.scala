package io.sparklance.dataset.write

import scala.util.{Random, Using}

import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.scan.{FileSource, FragmentReader, FragmentTask}
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.table.WriteId
import io.sparklance.testkit.{Blocks, MemoryStore}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Structs, lists and maps that are written come back. */
class NestedWriteSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 60)

  private val int = Integer(32, signed = true)
  private val string = Utf8(large = false)

  private def leaf(name: String, of: LogicalType = int): Field = Field(0, name, of, nullable = true)
  private def struct(name: String, children: Field*): Field =
    Field(0, name, Struct, nullable = true, children.toVector)
  private def list(name: String, item: Field): Field =
    Field(0, name, List(large = false, ofStruct = item.logicalType == Struct), nullable = true, Vector(item))
  private def map(name: String, value: Field): Field = {
    val entry = Vector(Field(0, "key", string, nullable = false), value)
    Field(0, name, Map, nullable = true, Vector(Field(0, "entries", Struct, nullable = false, entry)))
  }

  private def write(
      fields: Vector[Field],
      rows: Seq[Seq[Option[Any]]],
      version: FileVersion,
      maxPageBytes: Long = FragmentWriter.DefaultPageBytes,
      joined: Option[Long] = None
  ): (MemoryStore, FragmentTask) = {
    val store = new MemoryStore
    val schema = WriteSchema.forNewTable(LanceSchema(fields))
    val format = DataFileFormat(version, maxPageBytes, pageBytes = joined)
    val writer = new FragmentWriter(store, "/t", schema, format, WriteId.random(), FileLimits.none)
    rows.foreach { row =>
      writer.columns.zip(row).foreach { case (column, value) => Blocks.appendRow(column, value) }
      writer.rowWritten()
    }
    val file = writer.finish()
    val source =
      FileSource(s"/t/data/${file.fileName}", Some(file.sizeBytes), file.fieldIds, file.columnIndices)
    val all = RowRanges(0, file.rows)
    (store, FragmentTask(0, Vector(source), file.rows, None, all, schema.fields))
  }

  private def read(store: MemoryStore, task: FragmentTask, batchRows: Int): Vector[Vector[Option[Any]]] =
    Using.resource(FragmentReader.open(store, task, batchRows)) { reader =>
      val batches = Iterator
        .continually(reader.next())
        .takeWhile(identity)
        .map(_ => reader.columns.map(Blocks.rows(_).take(reader.rowCount)))
        .toVector
      task.projection.indices.toVector.map(i => batches.flatMap(_(i)))
    }

  /** Writes and reads the rows of one column. Values have the form of [[Blocks]]. */
  private def assertRoundTrip(field: Field, rows: Seq[Option[Any]], version: FileVersion): Assertion = {
    val (store, task) = write(Vector(field), rows.map(Seq(_)), version)
    assert(read(store, task, 4096).head == rows)
    val (joined, ofJoined) = write(Vector(field), rows.map(Seq(_)), version, 64, Some(300))
    assert(read(joined, ofJoined, 4096).head == rows)
  }

  private def randomField(random: Random, name: String, depth: Int, maps: Boolean): Field =
    if (depth == 0)
      leaf(name, Seq(int, string, Bool, FixedSizeList(FloatingPoint(32), 3))(random.nextInt(4)))
    else
      random.nextInt(if (maps) 5 else 4) match {
        case 0 | 1 => list(name, randomField(random, "item", depth - 1, maps))
        case 4 => map(name, randomField(random, "value", depth - 1, maps))
        case _ =>
          val others =
            Vector.tabulate(random.nextInt(3))(i => randomField(random, s"f$i", random.nextInt(depth), maps))
          struct(name, others :+ randomField(random, "last", depth - 1, maps): _*)
      }

  /** Structs of 2.0 are never null. */
  private def fitting(version: FileVersion)(field: Field): Field = field.copy(
    nullable = field.nullable && (version != FileVersion.V2_0 || field.logicalType != Struct),
    children = field.children.map(fitting(version))
  )

  private def randomValue(random: Random, field: Field, nulls: Int, most: Int, few: Boolean): Option[Any] = {
    def inside(child: Field): Option[Any] = randomValue(random, child, nulls, most, few)
    def many(make: => Any): Seq[Any] = Vector.fill(random.nextInt(most + 1))(make)
    val number = if (few) 7 else random.nextInt(1 << 20)
    if (field.nullable && random.nextInt(100) < nulls) None
    else
      Some(field.logicalType match {
        case Struct => field.children.map(inside)
        case List(_, _) | Map => many(inside(field.children.head))
        case Utf8(_) => s"$number".getBytes.toVector
        case Bool => number % 2L
        case FixedSizeList(_, size) => Vector.fill(size)(number.toLong)
        case _ => number.toLong
      })
  }

  for (version <- FileVersion.writable)
    test(s"columns of any nesting come back from $version, whatever is null or empty") {
      val cases = for {
        seed <- Gen.long
        rows <- Gen.oneOf(1, 2, 100, 1023, 1024, 1025)
        nulls <- Gen.oneOf(0, 0, 1, 10, 50, 100)
        most <- Gen.oneOf(0, 1, 3, 5)
        few <- Gen.oneOf(true, false)
        page <- Gen.oneOf(1000L, FragmentWriter.DefaultPageBytes)
      } yield (seed, rows, nulls, most, few, page)
      forAll(cases) { case (seed, rows, nulls, most, few, page) =>
        val random = new Random(seed)
        val depth = 1 + random.nextInt(4)
        val field = fitting(version)(randomField(random, "c", depth, maps = version == FileVersion.V2_2))
        val count = if (depth > 2 && most > 3) rows / 10 + 1 else rows
        val values = Vector.fill(count)(randomValue(random, field, nulls, most, few))
        val (store, task) = write(Vector(field), values.map(Seq(_)), version, page)
        assert(read(store, task, 700).head == values)
      }
    }

  for (version <- FileVersion.writable) {
    test(s"one value among empty lists comes back from $version") {
      val empties = Vector.fill(50000)(Some(Vector.empty))
      assertRoundTrip(list("c", leaf("item")), (empties :+ Some(Vector(Some(7L)))) ++ empties, version)
      val nulls = Vector.fill(50000)(None)
      assertRoundTrip(
        list("c", leaf("item")),
        (nulls :+ Some(Vector(Some(7L), Some(8L), None))) ++ nulls,
        version
      )
    }

    test(s"rows that span many chunks, or have more levels than a chunk can count, come back from $version") {
      val random = new Random(4)
      val huge = Vector.fill(30000)(Some(random.nextInt().toLong))
      val rows =
        Vector(Some(huge), None, Some(Vector.empty), Some(huge.take(1024)), Some(Vector(None)), Some(huge))
      assertRoundTrip(list("c", leaf("item")), rows, version)
      val lists =
        Vector.tabulate(80000)(i => Some(if (i % 1000 == 3) Vector(Some(i.toLong)) else Vector.empty))
      val nested = Vector(Some(lists), None, Some(Vector(None, Some(Vector(None)))), Some(lists.take(70000)))
      assertRoundTrip(list("c", list("item", leaf("item"))), nested, version)
    }

    test(s"long strings and vectors in lists come back from $version") {
      val random = new Random(5)
      val text = list("c", leaf("item", string))
      val strings = Vector.tabulate(500)(i =>
        Option.unless(i % 7 == 3)(Vector.tabulate(i % 4)(j =>
          Option.unless(j == 1)(Vector.fill(random.nextInt(600))('x'.toByte))
        ))
      )
      assertRoundTrip(text, strings, version)
      val vectors = Vector.tabulate(500)(i =>
        Option.unless(i % 7 == 3)(Vector.tabulate(i % 4)(j =>
          Option.unless(j == 1)(Vector.fill(100)(i + j.toLong))
        ))
      )
      assertRoundTrip(list("c", leaf("item", FixedSizeList(FloatingPoint(32), 100))), vectors, version)
    }

    test(s"structs without fields come back from $version, next to others") {
      val field = struct("c", leaf("a"), struct("e"))
      assertRoundTrip(
        field,
        Vector.tabulate(10)(i => Some(Vector(Some(i.toLong), Some(Vector.empty)))),
        version
      )
    }
  }

  for ((version, kind) <- FileVersion.writable.map(_ -> int) :+ (FileVersion.V2_2 -> string))
    test(s"packed structs of $kind come back from $version, in lists and structs, among many empty ones") {
      val packed =
        struct("item", leaf("a"), leaf("b", kind)).copy(metadata = Predef.Map("packed" -> "true"))
      def one(i: Int): Option[Any] =
        Option.unless(version != FileVersion.V2_0 && i % 5 == 3) {
          Vector(Some(i.toLong), Some(if (kind == string) s"$i".getBytes.toVector else -i.toLong))
        }
      val rows =
        Vector.tabulate(90000)(i => Some(if (i % 7 == 4) Vector.tabulate(i % 3)(one) else Vector.empty))
      assertRoundTrip(list("c", packed), rows, version)
      assertRoundTrip(
        struct("c", leaf("n"), packed),
        Vector.tabulate(2000)(i => Some(Vector(None, one(i)))),
        version
      )
    }

  test("nulls of structs without fields are refused, since no reader would find them") {
    val error = intercept[LanceUsageException](write(Vector(struct("c")), Seq(Seq(None)), FileVersion.V2_2))
    assert(error.getMessage.contains("'c' holds structs without fields"))
  }

  test("a null in a field that allows none is refused by its full name") {
    val strict = leaf("a").copy(nullable = false)
    val rows = Seq(Seq(Some(Vector(Some(Vector(None))))))
    val error = intercept[LanceUsageException] {
      write(Vector(list("c", struct("item", strict))), rows, FileVersion.V2_2)
    }
    assert(error.getMessage.contains("'c.item.a'"))
    assertRoundTrip(struct("c", strict), Vector(None, Some(Vector(Some(3L)))), FileVersion.V2_2)
  }

  for (version <- Seq(FileVersion.V2_0, FileVersion.V2_1))
    test(s"maps are refused in $version, with the version that has them") {
      val error = intercept[LanceUsageException] {
        write(Vector(struct("s", map("m", leaf("value")))), Nil, version)
      }
      assert(error.getMessage.contains("'s.m' is a map") && error.getMessage.contains("2.2"))
    }

  test("null structs are refused in 2.0, by name and with the versions that have them") {
    val field = list("c", struct("item", leaf("a"), struct("s", leaf("b"))))
    val good = Some(Vector(Some(1L), Some(Vector(None))))
    val lists = Vector(None, Some(Vector.empty), Some(Vector(good)), Some(Vector(good, good)))
    assertRoundTrip(field, lists, FileVersion.V2_0)
    for ((bad, name) <- Seq(None -> "'c.item'", Some(Vector(Some(1L), None)) -> "'c.item.s'")) {
      val error = intercept[LanceUsageException] {
        write(Vector(field), Seq(Seq(Some(Vector(good, bad)))), FileVersion.V2_0)
      }
      assert(error.getMessage.contains(name) && error.getMessage.contains("2.1 or 2.2"))
    }
  }

  test("files of 2.0 without rows have the page that a struct needs") {
    val (store, task) = write(Vector(struct("s", leaf("a")), list("l", leaf("item"))), Nil, FileVersion.V2_0)
    assert(read(store, task, 10) == Vector(Vector.empty, Vector.empty))
  }

  test("fixed-size lists of structs, and blobs in lists before 2.2, are refused by name") {
    val fixed = Field(0, "f", FixedSizeList(Struct, 2), nullable = true, Vector(struct("item", leaf("a"))))
    val blob = leaf("b", Binary(large = true)).copy(metadata = Predef.Map("lance-encoding:blob" -> "true"))
    for (field <- Seq(fixed, list("l", blob))) {
      val error = intercept[UnsupportedLanceFeatureException](write(Vector(field), Nil, FileVersion.V2_1))
      assert(error.getMessage.contains(s"'${field.name}"))
    }
  }
}
