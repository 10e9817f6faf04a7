package io.sparklance.dataset.scan

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import io.sparklance.data.{
  Column,
  DataBlock,
  FileVersion,
  Fixed32Block,
  Fixed64Block,
  ListBlock,
  RowRange,
  RowRanges,
  StructBlock,
  VariableBlock
}
import io.sparklance.dataset.predicate.{BytesTest, NumberTest, Predicate}
import io.sparklance.dataset.write.{FragmentWriter, StatisticsKind}
import io.sparklance.file.{ColumnRequest, FileReader}
import io.sparklance.schema.LogicalType.{Integer, Struct, Utf8}
import io.sparklance.schema.{Field, LanceSchema, Leaf}
import io.sparklance.testkit.{Deletions, MemoryStore, Ring}

/** A scan leaves out what statistics rule out, and nothing else. */
@Slow
class ZonePrunerSuite extends AnyFunSuite {
  import ZonePrunerSuite._

  for (version <- FileVersion.writable; pageBytes <- Seq(50000L, FragmentWriter.DefaultPageBytes))
    test(s"$version, pages of $pageBytes bytes: rows that pass are found, whatever else is left out") {
      val store = new MemoryStore
      val task = write(store, version, pageBytes)
      val random = new Random(3)
      val deletions = Vector(Set.empty[Int], (0 until Rows).filter(_ => random.nextInt(3) == 0).toSet)
      val ranges =
        Vector(RowRanges(0, Rows), RowRanges.of(Seq(RowRange(5, 8195), RowRange(16000, 20000))))
      // Each condition with both deletions and both ranges, but not with all pairs.
      for {
        ((predicate, passes), i) <- conditions.zipWithIndex
        (deleted, d) <- deletions.zipWithIndex
        (range, r) <- ranges.zipWithIndex
        if Ring.isFull || (i + d + r) % 2 == 0
      } {
        val wanted = Deletions.of(store, task, deleted).copy(predicate = predicate, rows = range)
        val expected = (0 until Rows).filter(i => passes(i) && !deleted(i) && range.contains(i.toLong))
        assert(read(store, wanted)._1 == expected, predicate)
      }
    }

  test("skipped zones are not read, and are counted") {
    val store = new MemoryStore
    val task = write(store, FileVersion.V2_2, 50000)
    def of(predicate: Predicate): (Vector[Int], ReadStats) = read(store, task.copy(predicate = predicate))
    val one = of(Predicate.Passes(ids, NumberTest.Within(9000, 9000)))
    assert(one._1 == Vector(9000) && one._2.rowsSkipped == Rows - 8192 && one._2.rowsFiltered == Rows - 1)
    val none = of(Predicate.Passes(ids, NumberTest.Within(-5, -1)))
    assert(none._1.isEmpty && none._2.rowsSkipped == Rows && none._2.rowsFiltered == Rows)
    assert(none._2.io.bytes == 0 && none._2.pagesRead == 0)
    assert(of(Predicate.Always)._2.rowsSkipped == 0)
    val half = Deletions.of(store, task, (0 until Rows by 2).toSet)
    val live = read(store, half.copy(predicate = Predicate.Passes(ids, NumberTest.Within(-5, -1))))
    assert(live._2.rowsSkipped == Rows / 2 && live._2.rowsFiltered == Rows / 2)
  }

  test("operands that statistics prove are not tested, and their columns not read") {
    val store = new MemoryStore
    val task = write(store, FileVersion.V2_2, 50000)
    def of(predicate: Predicate, rows: RowRanges = RowRanges(0, Rows)): (Vector[Int], ReadStats) =
      read(store, task.copy(predicate = predicate, rows = rows))
    val known = Predicate.all(Predicate.NotNull(ids), Predicate.Fails(ids, NumberTest.Within(-9, -1)))
    val last = RowRanges(16384, Rows)
    val short = Predicate.Fails(xs, NumberTest.Within(1000, 2000))
    def same(tested: Predicate, rows: RowRanges, needed: Predicate) = {
      val (found, expected) = (of(tested, rows), of(needed, rows))
      assert(found._1 == expected._1 && found._2.io.bytes == expected._2.io.bytes, tested)
      assert(found._2.pagesRead == expected._2.pagesRead && found._2.rowsFiltered == expected._2.rowsFiltered)
    }
    same(known, last, needed = Predicate.Always)
    same(Predicate.all(Predicate.NotNull(words), short, known), last, needed = short)
    same(
      Predicate.all(Predicate.NotNull(words), known),
      RowRanges(0, Rows),
      needed = Predicate.NotNull(words)
    )
    same(Predicate.all(Predicate.Passes(words, BytesTest.NotAfter(utf8("x"))), known), last, Predicate.Always)
    val late = of(Predicate.all(Predicate.Passes(ids, NumberTest.Within(8192, Rows)), known))
    assert(late._1 == (8192 until Rows) && late._2.rowsFiltered == 8192)
    assert(late._2.io.bytes == of(Predicate.Always, RowRanges(8192, Rows))._2.io.bytes)
  }

  test("leaves in lists have no statistics, and all others do, unless none are to be written") {
    def buffers(told: StatisticsKind): Map[String, Int] = {
      val store = new MemoryStore
      val task = write(store, FileVersion.V2_2, FragmentWriter.DefaultPageBytes, told)
      Using.resource(FileReader.open(store, task.files.head.path, None)) { reader =>
        reader.schema.fields.flatMap(io.sparklance.file.FileColumns.leaves).zipWithIndex.map {
          case (leaf, i) => leaf.name -> reader.columnBuffers(ColumnRequest(i, leaf)).size
        }.toMap
      }
    }
    val some = buffers(StatisticsKind.Zones)
    assert(some == Map("id" -> 1, "word" -> 1, "s.x" -> 1, "l.item" -> 0))
    assert(buffers(StatisticsKind.Omitted) == some.map { case (name, _) => name -> 0 })
  }

  test("a scan that needs only the footers of a file reads nothing else of it") {
    val store = new MemoryStore
    val task = write(store, FileVersion.V2_2, FragmentWriter.DefaultPageBytes)
      .copy(predicate = Predicate.Passes(ids, NumberTest.Within(-5, -1)), projection = fields)
    store.forgetReads()
    assert(read(store, task)._1.isEmpty)
    assert(store.reads.size == 1)
  }
}

private[sparklance] object ZonePrunerSuite {
  val Rows = 20000
  private val id = Field(0, "id", Integer(64, signed = true), nullable = true)
  private val word = Field(1, "word", Utf8(large = false), nullable = true)
  private val x = Field(3, "x", Integer(32, signed = true), nullable = true)
  private val s = Field(2, "s", Struct, nullable = true, children = Vector(x))
  private val item = Field(5, "item", Integer(32, signed = true), nullable = true)
  private val l =
    Field(
      4,
      "l",
      io.sparklance.schema.LogicalType.List(large = false, ofStruct = false),
      nullable = true,
      children = Vector(item)
    )
  private val fields = Vector(id, word, s, l)
  val ids = Leaf(Vector.empty, id)
  val words = Leaf(Vector.empty, word)
  val xs = Leaf(Vector(s), x)

  private val everyWord =
    Vector.tabulate(Rows)(i => Option.unless(i / 3000 == 2)(f"${"w" * (i % 50)}-$i%05d"))
  def wordOf(i: Int): Option[String] = everyWord(i)
  def hasStruct(version: FileVersion, i: Int): Boolean = version == FileVersion.V2_0 || i / 1000 != 11
  def xOf(i: Int): Option[Int] = Option.unless(i / 5000 == 2 || i % 7 == 0)(i / 100)

  private def utf8(text: String): scala.collection.immutable.ArraySeq[Byte] =
    BytesTest.bytes(text.getBytes(UTF_8))

  /** Predicates on `s.x` see only rows without null structs. */
  private val conditions: Seq[(Predicate, Int => Boolean)] = Seq(
    (Predicate.Passes(ids, NumberTest.Within(8190, 8195)), i => i >= 8190 && i <= 8195),
    (Predicate.Passes(ids, NumberTest.oneOf(Seq(3L, 19999L, 50000L))), i => i == 3 || i == 19999),
    (Predicate.Fails(ids, NumberTest.Within(100, 50000)), _ < 100),
    (Predicate.Passes(words, BytesTest.SameAs(utf8("www-00003"))), _ == 3),
    (Predicate.IsNull(words), wordOf(_).isEmpty),
    (Predicate.all(Predicate.NotNull(ids), Predicate.Passes(ids, NumberTest.Within(0, Rows))), _ => true),
    (
      Predicate.all(Predicate.NotNull(ids), Predicate.Passes(words, BytesTest.Before(utf8("www")))),
      wordOf(_).exists(_ < "www")
    ),
    (Predicate.Passes(xs, NumberTest.Within(30, 31)), i => xOf(i).exists(v => v == 30 || v == 31)),
    (
      Predicate.AnyOf(Vector(
        Predicate.Passes(xs, NumberTest.Within(190, 300)),
        Predicate.Passes(ids, NumberTest.Within(0, 1))
      )),
      i => i < 2 || xOf(i).exists(_ >= 190)
    ),
    (
      Predicate.all(Predicate.NotNull(words), Predicate.Passes(ids, NumberTest.Within(6000, 9001))),
      i => i == 9000 || i == 9001
    )
  )

  def write(
      store: MemoryStore,
      version: FileVersion,
      pageBytes: Long,
      told: StatisticsKind = StatisticsKind.Zones
  ): FragmentTask = {
    val writer =
      new FragmentWriter(store, "/t", LanceSchema(fields), version, pageBytes, statistics = told)
    for (i <- 0 until Rows) {
      put(writer.columns(0), Some((b: DataBlock) => b.asInstanceOf[Fixed64Block].append(i.toLong)))
      put(
        writer.columns(1),
        wordOf(i).map { w => (b: DataBlock) =>
          val bytes = w.getBytes(UTF_8)
          b.asInstanceOf[VariableBlock].append(bytes, 0, bytes.length)
        }
      )
      put(
        writer.columns(2),
        Option.when(hasStruct(version, i)) { (b: DataBlock) =>
          val structs = b.asInstanceOf[StructBlock]
          put(
            structs.children.head,
            xOf(i).map(v => (b: DataBlock) => b.asInstanceOf[Fixed32Block].append(v))
          )
          structs.advance(1)
        }
      )
      put(
        writer.columns(3),
        Some { (b: DataBlock) =>
          val lists = b.asInstanceOf[ListBlock]
          put(lists.items, Some((b: DataBlock) => b.asInstanceOf[Fixed32Block].append(i)))
          lists.endList()
        }
      )
      writer.rowWritten()
    }
    val file = writer.finish()
    val source =
      FileSource(s"/t/data/${file.fileName}", Some(file.sizeBytes), file.fieldIds, file.columnIndices)
    FragmentTask(3, Vector(source), file.rows, None, RowRanges(0, file.rows), Vector(id))
  }

  private def put(column: Column, value: Option[DataBlock => Unit]): Unit = value match {
    case Some(append) =>
      append(column.values)
      column.nulls.appendValid(1)
    case None => column.appendNulls(1)
  }

  /** The ids of the rows that are found, and what it took. */
  private def read(store: MemoryStore, task: FragmentTask): (Vector[Int], ReadStats) =
    Using.resource(FragmentReader.open(store, task, 4096)) { reader =>
      val found = Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
        reader.columns.head.values match {
          case b: Fixed64Block => (0 until reader.rowCount).map(b.values(_).toInt)
          case other => throw new IllegalArgumentException(s"$other")
        }
      }.toVector
      (found, reader.stats)
    }
}
