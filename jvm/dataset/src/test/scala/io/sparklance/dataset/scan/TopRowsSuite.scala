package io.sparklance.dataset.scan

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import io.sparklance.data._
import io.sparklance.dataset.order.{Direction, NullPlace, RowOrder, Ties, TopRows}
import io.sparklance.dataset.predicate.{BytesTest, NumberTest, Predicate}
import io.sparklance.dataset.write.FragmentWriter
import io.sparklance.io.ReadProfile
import io.sparklance.schema.LogicalType.{FixedSizeList, FloatingPoint, Integer, Struct, Utf8}
import io.sparklance.schema.{Field, LanceSchema, Leaf}
import io.sparklance.testkit.{ColumnText, Deletions, MemoryStore, Ring}

/** A top-N scan finds the first rows of an order, whatever it skips. */
@Slow
class TopRowsSuite extends AnyFunSuite {
  import TopRowsSuite._

  for (version <- FileVersion.writable)
    test(s"$version: any order, ties, deletions, filters, and batches that are cut short") {
      // A small budget has requests wait for each other.
      val distant = ReadProfile.remote("top").copy(readAhead = 50000, maxGap = 1000)
      val store = new MemoryStore(if (version == FileVersion.V2_1) ReadProfile.Local else distant)
      val fragments = Vector.tabulate(2)(f => write(store, version, f))
      val seed = Random.nextLong()
      val random = new Random(seed)
      for {
        (key, k) <- keys.zipWithIndex
        (direction, d) <- directions.zipWithIndex
        (nulls, n) <- nullPlaces.zipWithIndex
        (ties, t) <- Vector(Ties.Kept, Ties.Dropped).zipWithIndex
        // Each two of the four meet.
        if Ring.isFull || (k + d + n + t) % 2 == 0
      } {
        val limit = Vector(1, 10, 700, 1500)(random.nextInt(4))
        val (predicate, passes) = predicates(random.nextInt(predicates.size))
        val holes = (0 until 2 * Rows).filter(_ => random.nextInt(4) == 0).toSet
        val deleted = if (random.nextBoolean()) holes else Set.empty[Int]
        val batch = Vector(60, 1000, 4096)(random.nextInt(3))
        val stretch = if (random.nextInt(3) == 0) RowRanges(100, 1900) else RowRanges(0, Rows)
        val tasks = fragments.map { task =>
          val own = deleted.collect { case i if i / Rows == task.fragmentId => i % Rows }
          Deletions.of(store, task, own).copy(predicate = predicate, rows = stretch)
        }
        val top = TopRows(RowOrder.of(key.leaf, direction, nulls).get, limit, ties)
        val (found, _) = read(store, Split(tasks, top = Some(top)), batch)
        val wanted = (0 until 2 * Rows).filter(i =>
          passes(i) && !deleted(i) && stretch.contains(i % Rows.toLong)
        )
        val clue = s"seed $seed, $top, $predicate, batches of $batch, $stretch, ${deleted.size} deleted"
        withClue(clue)(check(key, top, wanted, found))
      }
    }

  test("rows that others outdo cost no wide values, and are counted") {
    val store = new MemoryStore
    val task = write(store, FileVersion.V2_2, 0)
    store.forgetReads()
    val all = read(store, Split(Vector(task)), 1000)._1
    val allBytes = store.reads.map(_.length).sum
    store.forgetReads()
    val order = RowOrder.of(random.leaf, Direction.Descending, NullPlace.Last).get
    val (found, stats) = read(store, Split(Vector(task), top = Some(TopRows(order, 3, Ties.Dropped))), 1000)
    assert(store.reads.map(_.length).sum < allBytes / 10)
    assert(all.size == Rows && found.size < 30)
    assert(stats.rowsBelowTop == Rows - found.size && stats.rowsFiltered == stats.rowsBelowTop)
  }

  test("of ties that nothing else decides as many are kept as are wanted") {
    val store = new MemoryStore
    val task = write(store, FileVersion.V2_2, 0)
    def found(ties: Ties): Int = {
      val order = RowOrder.of(few.leaf, Direction.Descending, NullPlace.Last).get
      read(store, Split(Vector(task), top = Some(TopRows(order, 5, ties))), 4096)._1.size
    }
    // The greatest is the greatest of all longs, which may stand for others.
    assert(found(Ties.Kept) > 200 && found(Ties.Dropped) == found(Ties.Kept))
    def among(ties: Ties): Int = {
      val order = RowOrder.of(small.leaf, Direction.Descending, NullPlace.Last).get
      read(store, Split(Vector(task), top = Some(TopRows(order, 5, ties))), 4096)._1.size
    }
    assert(among(Ties.Kept) > 100 && among(Ties.Dropped) < 20)
  }

  test("zones are left out whose bounds say that others come first, also before anything was read") {
    val store = new MemoryStore
    val task = narrow(store, 50000)
    def skipped(task: FragmentTask, direction: Direction, limit: Int): Long = {
      val order = RowOrder.of(leaf(id), direction, NullPlace.Last).get
      val (found, stats) =
        read(store, Split(Vector(task), top = Some(TopRows(order, limit, Ties.Kept))), 4096)
      val expected = direction match {
        case Direction.Ascending => 0 until limit
        case Direction.Descending => 50000 - limit until 50000
      }
      assert(expected.forall(found.toSet))
      stats.rowsSkipped
    }
    assert(skipped(task, Direction.Ascending, 10) == 50000 - 8192)
    assert(skipped(task, Direction.Descending, 10) == 5 * 8192 + 8192)
    assert(skipped(task, Direction.Descending, 1000) == 5 * 8192)
    val notNull = task.copy(predicate = Predicate.NotNull(leaf(id)))
    assert(skipped(notNull, Direction.Ascending, 10) == 50000 - 8192)
    def without(least: Long, most: Long): FragmentTask =
      task.copy(predicate = Predicate.Fails(leaf(id), NumberTest.Within(least, most)))
    // Statistics prove the first filter, but not the second.
    assert(skipped(without(-2, -1), Direction.Ascending, 10) == 50000 - 8192)
    assert(skipped(without(40000, 40001), Direction.Ascending, 10) == 0)
    val last = (0 until 8192).filter(_ % 8 != 0).toSet
    val order = RowOrder.of(leaf(id), Direction.Ascending, NullPlace.First).get
    val few = Deletions.of(store, task, last)
    val (found, stats) =
      read(store, Split(Vector(few), top = Some(TopRows(order, 1025, Ties.Kept))), 4096)
    assert(found.take(1025) == (0 until 8192 by 8) :+ 8192 && stats.rowsSkipped == 50000 - 2 * 8192)
  }

  test("a fragment behind others is left out whole if these are better") {
    val store = new MemoryStore
    val task = narrow(store, 20000)
    val order = RowOrder.of(leaf(id), Direction.Ascending, NullPlace.Last).get
    val tail = task.copy(rows = RowRanges(10000, 20000))
    val both = Split(Vector(task, tail), top = Some(TopRows(order, 10, Ties.Kept)))
    val (found, stats) = read(store, both, 4096)
    assert(found == (0 until 10) && stats.rowsSkipped == 20000 - 8192 + 10000)
  }
}

private object TopRowsSuite {
  import org.scalatest.Assertions.assert

  private val Rows = 2000

  private val id = Field(0, "id", Integer(64, signed = true), nullable = true)
  private val number = Field(1, "number", Integer(64, signed = true), nullable = true)
  private val real = Field(2, "real", FloatingPoint(64), nullable = true)
  private val text = Field(3, "text", Utf8(large = false), nullable = true)
  private val x = Field(5, "x", Integer(32, signed = true), nullable = true)
  private val s = Field(4, "s", Struct, nullable = true, children = Vector(x))
  private val vector = Field(6, "vector", FixedSizeList(FloatingPoint(32), 300), nullable = true)
  private val long = Field(7, "long", Utf8(large = false), nullable = true)
  private val spread = Field(8, "spread", Integer(64, signed = true), nullable = true)
  private val absent = Field(9, "absent", Integer(64, signed = true), nullable = true)
  private val fields = Vector(id, number, real, text, s, vector, long, spread)

  private def mixed(i: Int, salt: Int): Int = new Random(31L * i + salt).nextInt(Int.MaxValue)

  private def numberOf(i: Int): Option[Long] = mixed(i, 1) % 9 match {
    case 0 => None
    case 1 => Some(Long.MaxValue)
    case 2 => Some(Long.MinValue)
    case n => Some(n.toLong)
  }
  private def realOf(i: Int): Option[Double] = mixed(i, 2) % 12 match {
    case 0 => None
    case 1 => Some(Double.NaN)
    case 2 => Some(Double.PositiveInfinity)
    case 3 => Some(Double.NegativeInfinity)
    case 4 => Some(-0.0)
    case 5 => Some(0.0)
    case n => Some((mixed(i, 3) % 100 - 50) * n.toDouble)
  }
  private def textOf(i: Int): Option[String] = mixed(i, 4) % 10 match {
    case 0 => None
    case 1 => Some("")
    case 2 => Some("\u00ff\u00ff\u00ff\u00ff\u00ff" * (i % 3))
    case n if n < 6 => Some(s"the same beginning ${mixed(i, 5) % 50}")
    case _ => Some(s"${mixed(i, 5) % 1000}")
  }
  private def structOf(version: FileVersion, i: Int): Boolean =
    version == FileVersion.V2_0 || mixed(i, 6) % 5 > 0
  private def xOf(i: Int): Option[Int] = Option.when(mixed(i, 6) % 5 > 0 && i % 3 > 0)(mixed(i, 7) % 8)
  private def spreadOf(i: Int): Long = mixed(i, 8).toLong
  private def longOf(i: Int): String = s"row $i " * (60 + mixed(i, 9) % 150)

  /** A column to sort by, and how its values compare, nulls apart. */
  final private case class Key(leaf: Leaf, less: (Int, Int) => Boolean, isNull: Int => Boolean)

  private def key[A](leaf: Leaf, of: Int => Option[A])(implicit order: Ordering[A]): Key =
    Key(leaf, (a, b) => order.lt(of(a).get, of(b).get), of(_).isEmpty)

  /** NaN above all, and zeroes alike. */
  private val reals: Ordering[Double] = (a, b) => if (a == b) 0 else java.lang.Double.compare(a, b)
  private val bytewise: Ordering[String] = (a, b) =>
    java.util.Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8))

  private def leaf(field: Field): Leaf = Leaf(Vector.empty, field)
  private val few: Key = key(leaf(number), numberOf)
  private val small: Key = key(Leaf(Vector(s), x), xOf)
  private val random: Key = key(leaf(spread), i => Some(spreadOf(i)))
  private val keys: Vector[Key] = Vector(
    few,
    small,
    random,
    key(leaf(real), realOf)(reals),
    key(leaf(text), textOf)(bytewise),
    key(leaf(id), Option(_)),
    key(leaf(absent), (_: Int) => Option.empty[Int])
  )
  private val directions = Vector(Direction.Ascending, Direction.Descending)
  private val nullPlaces = Vector(NullPlace.First, NullPlace.Last)

  private val predicates: Vector[(Predicate, Int => Boolean)] = {
    val nines =
      Predicate.Passes(leaf(long), BytesTest.Contains(BytesTest.bytes("9 ".getBytes(UTF_8))))
    def hasNine(i: Int): Boolean = i % 10 == 9
    val later = Predicate.Passes(leaf(id), NumberTest.Within(700, 100000))
    val threes = Predicate.Passes(leaf(number), NumberTest.Within(3, 3))
    Vector(
      (Predicate.Always, _ => true),
      (Predicate.Always, _ => true),
      (Predicate.NotNull(leaf(number)), numberOf(_).isDefined),
      (later, _ >= 700),
      (Predicate.all(later, nines), i => i >= 700 && hasNine(i)),
      (Predicate.all(later, nines.negated), i => i >= 700 && !hasNine(i)),
      (
        Predicate.all(later, Predicate.AnyOf(Vector(threes, nines))),
        i => i >= 700 && (hasNine(i) || numberOf(i).contains(3L))
      ),
      (Predicate.Never, _ => false)
    )
  }

  /** Rows that come first must be there; of those that are like the last of these enough, or all. */
  private def check(key: Key, top: TopRows, wanted: Seq[Int], found: Seq[Int]): Unit = {
    def before(a: Int, b: Int): Boolean = (key.isNull(a), key.isNull(b)) match {
      case (true, true) => false
      case (true, false) => top.order.nulls == NullPlace.First
      case (false, true) => top.order.nulls == NullPlace.Last
      case (false, false) =>
        if (top.order.direction == Direction.Ascending) key.less(a, b) else key.less(b, a)
    }
    assert(found.distinct == found && found.sorted == found && found.forall(wanted.toSet))
    val first = wanted.sortWith(before).take(top.limit)
    first.lastOption.foreach { last =>
      val better = wanted.filter(before(_, last))
      val alike = wanted.filter(i => !before(i, last) && !before(last, i))
      val needed = if (top.ties == Ties.Kept) alike.size else first.size - better.size
      assert(better.forall(found.toSet), "rows that come first are missing")
      assert(alike.count(found.toSet) >= needed, s"of ${alike.size} ties too few")
    }
  }

  private def put(column: Column, value: Option[DataBlock => Unit]): Unit = value match {
    case Some(append) =>
      append(column.values)
      column.nulls.appendValid(1)
    case None => column.appendNulls(1)
  }

  private def long(value: Long): DataBlock => Unit = _.asInstanceOf[Fixed64Block].append(value)
  private def string(value: String): DataBlock => Unit = { block =>
    val bytes = value.getBytes(UTF_8)
    block.asInstanceOf[VariableBlock].append(bytes, 0, bytes.length)
  }
  private def struct(version: FileVersion, i: Int): Option[DataBlock => Unit] =
    Option.when(structOf(version, i)) { block =>
      val structs = block.asInstanceOf[StructBlock]
      put(structs.children.head, xOf(i).map(v => _.asInstanceOf[Fixed32Block].append(v)))
      structs.advance(1)
    }
  private def floats(i: Int): DataBlock => Unit = { block =>
    val lists = block.asInstanceOf[FixedSizeListBlock]
    (0 until 300).foreach(j => lists.items.asInstanceOf[Fixed32Block].append(i + j))
    lists.advance(1)
  }

  /** A fragment in two files. */
  private def write(store: MemoryStore, version: FileVersion, fragment: Int): FragmentTask = {
    def file(fields: Vector[Field])(row: (FragmentWriter, Int) => Unit): FileSource = {
      val writer = new FragmentWriter(store, "/t", LanceSchema(fields), version, 100000)
      for (i <- fragment * Rows until (fragment + 1) * Rows) {
        row(writer, i)
        writer.rowWritten()
      }
      val file = writer.finish()
      FileSource(s"/t/data/${file.fileName}", Some(file.sizeBytes), file.fieldIds, file.columnIndices)
    }
    val first = file(fields.take(6)) { (writer, i) =>
      put(writer.columns(0), Some(long(i.toLong)))
      put(writer.columns(1), numberOf(i).map(long))
      put(writer.columns(2), realOf(i).map(v => long(java.lang.Double.doubleToRawLongBits(v))))
      put(writer.columns(3), textOf(i).map(string))
      put(writer.columns(4), struct(version, i))
      put(writer.columns(5), Some(floats(i)))
    }
    val second = file(fields.drop(6)) { (writer, i) =>
      put(writer.columns(0), Some(string(longOf(i))))
      put(writer.columns(1), Some(long(spreadOf(i))))
    }
    FragmentTask(
      fragment.toLong,
      Vector(first, second),
      Rows,
      None,
      RowRanges(0, Rows),
      Vector(id, vector, long)
    )
  }

  /** Nothing but ids. */
  private def narrow(store: MemoryStore, rows: Int): FragmentTask = {
    val writer = new FragmentWriter(store, "/t", LanceSchema(Vector(id)), FileVersion.V2_2, 50000)
    for (i <- 0 until rows) {
      put(writer.columns(0), Some(long(i.toLong)))
      writer.rowWritten()
    }
    val file = writer.finish()
    val source =
      FileSource(s"/t/data/${file.fileName}", Some(file.sizeBytes), file.fieldIds, file.columnIndices)
    FragmentTask(0, Vector(source), file.rows, None, RowRanges(0, file.rows), Vector(id))
  }

  /** Returns the ids of the rows read, after comparing them with the other values. */
  private def read(store: MemoryStore, split: Split, batchRows: Int): (Vector[Int], ReadStats) =
    Using.resource(new SplitReader(store, split, batchRows)) { reader =>
      val found = Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
        val ids = reader.columns.head.values.asInstanceOf[Fixed64Block]
        (0 until reader.rowCount).map { row =>
          val i = ids.values(row).toInt
          reader.columns.lift(1).foreach { column =>
            val items = column.values.asInstanceOf[FixedSizeListBlock].items.asInstanceOf[Fixed32Block]
            assert(items.values(300 * row) == i && items.values(300 * row + 299) == i + 299)
          }
          reader.columns.lift(2).foreach(column => assert(ColumnText.at(column, row) == hex(longOf(i))))
          i
        }
      }.toVector
      (found, reader.stats)
    }

  private def hex(text: String): String = java.util.HexFormat.of.formatHex(text.getBytes(UTF_8))
}
