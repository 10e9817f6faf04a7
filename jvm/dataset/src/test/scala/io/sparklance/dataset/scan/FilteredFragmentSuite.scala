package io.sparklance.dataset.scan

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import io.sparklance.data._
import io.sparklance.dataset.predicate.{BytesTest, NumberTest, Predicate}
import io.sparklance.dataset.write.{FragmentWriter, WrittenFile}
import io.sparklance.file.{FileColumns, FileReader}
import io.sparklance.io.ReadProfile
import io.sparklance.schema.LogicalType.{FixedSizeList, FloatingPoint, Integer, Utf8}
import io.sparklance.schema.{Field, LanceSchema, Leaf}
import io.sparklance.testkit.{ColumnText, Deletions, Hostile, MemoryStore, Ring}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Reading with a predicate finds what reading without one finds, less the rows that it drops. */
@Slow
class FilteredFragmentSuite extends AnyFunSuite {
  import FilteredFragmentSuite._

  for {
    version <- FileVersion.writable
    pageBytes <- Seq(2000L, FragmentWriter.DefaultPageBytes)
    ((readAhead, profile), at) <- profiles.zipWithIndex
    // Each version and each profile meets both sizes of pages.
    isPair = (pageBytes == 2000L) == ((FileVersion.writable.indexOf(version) + at) % 3 != 0)
  }
    test(
      s"$version, pages of $pageBytes bytes, $readAhead: live rows that pass, in batches of any size",
      (if (isPair) Nil else Seq(Ring.Cross)): _*
    ) {
      val store = new MemoryStore(profile)
      val task = write(store, version, pageBytes, rows = 900)
      val random = new Random(4)
      for {
        (name, predicate, passes) <- predicates
        deleted <- Seq(Set.empty[Int], (0 until 900).filter(_ => random.nextInt(3) == 0).toSet)
        (batch, range) <- Seq((64, RowRanges(0, 900)), (900, RowRanges(0, 900)), (7, scattered))
      } {
        val wanted = Deletions.of(store, task, deleted).copy(rows = range, predicate = predicate)
        val expected =
          range.ranges.flatMap(r => r.start.toInt until r.end.toInt).filter(i => passes(i) && !deleted(i))
        assert(read(store, wanted, batch) == expected.map(i => Vector(id(i), text(i), vector(i))), name)
        assert(read(store, wanted.copy(projection = Vector.empty), batch).size == expected.size, name)
        assert(
          read(store, wanted.copy(projection = Vector(words)), batch) == expected.map(i => Vector(word(i))),
          name
        )
      }
    }

  test("a row keeps its position though rows before it were dropped") {
    val store = new MemoryStore
    val task = Deletions.of(store, write(store, FileVersion.V2_2, 2000, 300), Set(10, 11))
    val filtered =
      task.copy(predicate = Predicate.Passes(leaf(ids), NumberTest.oneOf(Seq(3L, 10L, 12L, 299L))))
    Using.resource(FragmentReader.open(store, filtered, 100)) { reader =>
      val places = Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
        (0 until reader.rowCount).map(reader.position)
      }
      assert(places.toVector == Vector(3L, 12L, 299L))
    }
  }

  test("columns in several files, fields that no file has") {
    val store = new MemoryStore
    val first = write(store, FileVersion.V2_2, 2000, 200)
    val more = Field(50, "more", Integer(32, signed = true), nullable = true)
    val second = writer(store, Vector(more), FileVersion.V2_1, 500)
    for (i <- 0 until 200) {
      append(second, 0, Option.when(i % 4 != 0)(int(i % 10)))
      second.rowWritten()
    }
    val task = first.copy(files = first.files :+ source(second.finish()), projection = Vector(words, ids))
    val later = Field(60, "later", Utf8(large = false), nullable = true)
    def found(predicate: Predicate, projection: Vector[Field] = Vector(ids)): Seq[Vector[String]] =
      read(store, task.copy(predicate = predicate, projection = projection), 30)
    val threes = Predicate.Passes(leaf(more), NumberTest.Within(3, 3))
    val expected = (0 until 200).filter(i => i % 4 != 0 && i % 10 == 3)
    assert(found(threes) == expected.map(i => Vector(id(i))))
    assert(found(Predicate.all(threes, Predicate.IsNull(leaf(later)))) == found(threes))
    assert(found(threes, Vector(later, words)) == expected.map(i => Vector("-", word(i))))
    assert(found(Predicate.Passes(leaf(later), BytesTest.Contains(bytes("")))) == Nil)
    assert(found(Predicate.IsNull(leaf(later))).size == 200)
  }

  test("of wide columns only the rows that pass are read") {
    val store = new MemoryStore
    val task = write(store, FileVersion.V2_2, FragmentWriter.DefaultPageBytes, 5000)
    def bytesRead(predicate: Predicate): Long = {
      store.forgetReads()
      val _ = read(store, task.copy(predicate = predicate), 1000)
      store.reads.map(_.length).sum
    }
    val all = bytesRead(Predicate.Always)
    val one = bytesRead(Predicate.Passes(leaf(ids), NumberTest.Within(4000, 4000)))
    assert(all > 5000 * 400L && one < all / 20, s"$one of $all")
    // Numbers are looked at before texts, and of these only where they may matter.
    val both = bytesRead(
      Predicate.all(
        Predicate.Passes(leaf(texts), BytesTest.Contains(bytes("no such text"))),
        Predicate.Passes(leaf(ids), NumberTest.Within(4000, 4010))
      )
    )
    assert(both < all / 20, s"$both of $all")
  }

  for (version <- Seq("2.1", "2.2"))
    test(s"$version: fields of structs, beside lists that are shown") {
      val store = new MemoryStore
      store.put("f", Files.readAllBytes(Paths.get(s"tests/golden/nested_$version.lance").toAbsolutePath))
      val fields = schemaOf(store.bytes("f"))
      val leaves = fields.flatMap(FileColumns.leaves)
      val task = nested(fields)
      val everything = read(store, task, 1000)
      val x = leaves.find(_.name == "struct.x").get
      for (batch <- Seq(1, 16, 1000)) {
        val some = Predicate.Passes(x, NumberTest.oneOf(Seq(0L, 5L, 6L, 7L, 60L, 119L)))
        assert(read(store, task.copy(predicate = some), batch) == Seq(0, 5, 6, 7, 60, 119).map(everything))
        assert(read(store, task.copy(predicate = some.negated), batch).size == 114)
        assert(read(store, task.copy(predicate = Predicate.NotNull(x)), batch) == everything)
      }
    }

  for (version <- Seq("2.1", "2.2"))
    test(s"$version: whichever byte is wrong, rows are chosen or refused") {
      val golden = Files.readAllBytes(Paths.get(s"tests/golden/nested_$version.lance").toAbsolutePath)
      val fields = schemaOf(golden)
      val x = fields.flatMap(FileColumns.leaves).find(_.name == "struct.x").get
      val some = Predicate.Passes(x, NumberTest.oneOf(Seq(0L, 5L, 6L, 7L, 60L, 119L)))
      Hostile.flipping(golden, step = 31, masks = Seq(1, 0xff)) { bytes =>
        val store = new MemoryStore
        store.put("f", bytes)
        try { val _ = assert(read(store, nested(fields).copy(predicate = some), 50).size <= 120) }
        catch { case _: LanceFormatException | _: UnsupportedLanceFeatureException => () }
      }
    }
}

private object FilteredFragmentSuite {

  /** Profiles of stores by what is special about them: a small budget has requests wait for each other. */
  private val profiles = Vector(
    "on demand" -> ReadProfile.Local,
    "read ahead" -> ReadProfile.remote("filtered"),
    "read ahead by little" -> ReadProfile.remote("filtered by little").copy(readAhead = 5000, maxGap = 100)
  )

  private val ids = Field(0, "id", Integer(64, signed = true), nullable = true)
  private val words = Field(1, "word", Utf8(large = false), nullable = true)
  private val texts = Field(2, "text", Utf8(large = false), nullable = true)
  private val vectors = Field(3, "vector", FixedSizeList(FloatingPoint(32), 100), nullable = true)
  private val all = Vector(ids, words, texts, vectors)

  /** Not all rows of a fragment are always wanted. */
  private val scattered = RowRanges.of(Seq(RowRange(3, 4), RowRange(400, 520), RowRange(600, 609)))

  private def wordOf(i: Int): Option[String] = Option.unless(i % 5 == 2)(s"w${i % 7}")
  private def textOf(i: Int): String = s"text $i " * (5 + i % 90)

  /** A name, the predicate, and for which rows it is true. */
  private val predicates: Seq[(String, Predicate, Int => Boolean)] = {
    val few = Predicate.Passes(leaf(ids), NumberTest.Within(410, 420))
    val scattered = Predicate.Passes(leaf(ids), NumberTest.oneOf((0L until 900L by 37L)))
    val three = Predicate.Passes(leaf(words), BytesTest.SameAs(bytes("w3")))
    val nines = Predicate.Passes(leaf(texts), BytesTest.Contains(bytes("9 ")))
    def hasNine(i: Int): Boolean = i % 10 == 9
    Seq(
      ("always", Predicate.Always, _ => true),
      ("never", Predicate.Never, _ => false),
      ("few", few, i => i >= 410 && i <= 420),
      ("many", few.negated, i => i < 410 || i > 420),
      ("scattered", scattered, _ % 37 == 0),
      ("word", three, i => wordOf(i).contains("w3")),
      ("no word", Predicate.IsNull(leaf(words)), i => wordOf(i).isEmpty),
      ("other word", three.negated, i => wordOf(i).exists(_ != "w3")),
      ("two stages", Predicate.all(nines, few.negated), i => hasNine(i) && (i < 410 || i > 420)),
      ("two stages, few", Predicate.all(nines, scattered), i => hasNine(i) && i % 37 == 0),
      (
        "two stages, none left",
        Predicate.all(nines, Predicate.Passes(leaf(ids), NumberTest.Within(3, 4))),
        _ => false
      ),
      ("either", Predicate.AnyOf(Vector(three, few)), i => wordOf(i).contains("w3") || i >= 410 && i <= 420),
      ("vector", Predicate.NotNull(leaf(vectors)), _ % 11 != 3),
      (
        "one leaf in both",
        Predicate.all(Predicate.AnyOf(Vector(nines, few)), scattered.negated),
        i => (hasNine(i) || i >= 410 && i <= 420) && i % 37 != 0
      )
    )
  }

  private def schemaOf(file: Array[Byte]): Vector[Field] = {
    val store = new MemoryStore
    store.put("schema", file)
    Using.resource(FileReader.open(store, "schema", None))(_.schema.fields)
  }

  /** All of the nested golden files, whose fields are `fields`. */
  private def nested(fields: Vector[Field]): FragmentTask = {
    val ids = fields.flatMap(FileColumns.leaves).map(_.field.id)
    val source = FileSource("f", None, ids, ids.indices.toVector)
    FragmentTask(0, Vector(source), 120, None, RowRanges(0, 120), fields)
  }

  private def leaf(field: Field): Leaf = Leaf(Vector.empty, field)
  private def bytes(text: String): scala.collection.immutable.ArraySeq[Byte] =
    BytesTest.bytes(text.getBytes(UTF_8))

  private def int(value: Int): DataBlock => Unit = {
    case b: Fixed32Block => b.append(value)
    case other => throw new IllegalArgumentException(s"$other")
  }

  private def append(writer: FragmentWriter, column: Int, value: Option[DataBlock => Unit]): Unit = {
    val target = writer.columns(column)
    value match {
      case Some(put) =>
        put(target.values)
        target.nulls.appendValid(1)
      case None => target.appendNulls(1)
    }
  }

  private def string(value: String): DataBlock => Unit = {
    case b: VariableBlock =>
      val utf8 = value.getBytes(UTF_8)
      b.append(utf8, 0, utf8.length)
    case other => throw new IllegalArgumentException(s"$other")
  }

  private def writeRow(writer: FragmentWriter, i: Int): Unit = {
    append(writer, 0, Some { case b: Fixed64Block => b.append(i.toLong); case _ => () })
    append(writer, 1, wordOf(i).map(string))
    append(writer, 2, Some(string(textOf(i))))
    append(
      writer,
      3,
      Option.unless(i % 11 == 3) {
        case b: FixedSizeListBlock =>
          for (j <- 0 until 100)
            b.items match { case items: Fixed32Block => items.append(i * 1000 + j); case _ => () }
          b.advance(1)
        case _ => ()
      }
    )
    writer.rowWritten()
  }

  // What rows look like as text, by what was written.
  private val sample = new MemoryStore
  private lazy val sampled: Vector[Vector[String]] =
    read(
      sample,
      write(sample, FileVersion.V2_2, FragmentWriter.DefaultPageBytes, 900).copy(projection = all),
      900
    )
  private def id(i: Int): String = sampled(i)(0)
  private def word(i: Int): String = sampled(i)(1)
  private def text(i: Int): String = sampled(i)(2)
  private def vector(i: Int): String = sampled(i)(3)

  private def writer(
      store: MemoryStore,
      fields: Vector[Field],
      version: FileVersion,
      pageBytes: Long
  ): FragmentWriter = new FragmentWriter(store, "/t", LanceSchema(fields), version, pageBytes)

  private def source(file: WrittenFile): FileSource =
    FileSource(s"/t/data/${file.fileName}", Some(file.sizeBytes), file.fieldIds, file.columnIndices)

  private def write(store: MemoryStore, version: FileVersion, pageBytes: Long, rows: Int): FragmentTask = {
    val target = writer(store, all, version, pageBytes)
    (0 until rows).foreach(writeRow(target, _))
    val file = target.finish()
    FragmentTask(
      3,
      Vector(source(file)),
      file.rows,
      None,
      RowRanges(0, file.rows),
      Vector(ids, texts, vectors)
    )
  }

  private def read(store: MemoryStore, task: FragmentTask, batchRows: Int): Vector[Vector[String]] =
    Using.resource(FragmentReader.open(store, task, batchRows)) { reader =>
      Iterator
        .continually(reader.next())
        .takeWhile(identity)
        .flatMap { _ =>
          val columns = reader.columns
          (0 until reader.rowCount).map(i => columns.map(ColumnText.at(_, i)))
        }
        .toVector
    }
}
