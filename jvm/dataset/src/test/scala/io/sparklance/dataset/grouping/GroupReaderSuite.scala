package io.sparklance.dataset.grouping

import java.math.BigInteger

import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.predicate.{NumberTest, Predicate}
import io.sparklance.dataset.scan.{FragmentTask, Split}
import io.sparklance.dataset.statistics.End
import io.sparklance.schema.LogicalType.{Decimal, Dictionary, FloatingPoint, Integer, Utf8}
import io.sparklance.schema.{Field, Leaf}
import io.sparklance.testkit.{Deletions, MemoryStore, Ring}

/** Groups and aggregates of files are those that a model finds row by row. */
@Slow
class GroupReaderSuite extends AnyFunSuite {
  import GroupReaderSuite._
  import GroupTables._

  for (version <- FileVersion.writable)
    test(s"$version: random groups of random tables") {
      val first = Random.nextInt(1 << 30)
      for (seed <- first until first + Ring.cases(fast = 2, everyday = 4, full = 12)) {
        val random = new Random(seed)
        val distinct = Seq(1, 3, 40, 700)(seed % 4)
        val store = new MemoryStore
        val table = new Table(store, version, GroupTables.rows(random, 700, distinct, version), random)
        for (_ <- 0 until 12) {
          val grouping = Grouping(
            Vector.fill(random.nextInt(4))(any(keys, random)).distinct,
            Vector.fill(random.nextInt(6))(aggregate(random))
          )
          val (splits, rows) = table.some(grouping, random)
          val limits =
            any(Vector(GroupLimits.default, GroupLimits(50, 2, 1000), GroupLimits(2, 2, 1)), random)
          val found = splits.flatMap(partials(store, _, grouping, 1 + random.nextInt(400), limits))
          assert(
            GroupModel.combined(grouping, found) == GroupModel.expected(grouping, rows),
            (seed, grouping, limits)
          )
        }
      }
    }

  test("all keys alone, with all aggregates") {
    val random = new Random(5)
    val store = new MemoryStore
    val table =
      new Table(store, FileVersion.V2_2, GroupTables.rows(random, 900, 20, FileVersion.V2_2), random)
    val aggregates = GroupAggregate.Rows +: (keys ++ others).flatMap(all)
    for (by <- Vector.empty[Leaf] +: keys.map(Vector(_))) {
      val grouping = Grouping(by, aggregates)
      val (splits, rows) = table.whole(grouping)
      val found = splits.flatMap(partials(store, _, grouping, 256))
      assert(GroupModel.combined(grouping, found) == GroupModel.expected(grouping, rows), by.map(_.name))
    }
  }

  test("values of dictionaries are grouped and counted like others") {
    val random = new Random(6)
    val words =
      Field(0, "words", Dictionary(Utf8(large = false), Integer(32, signed = true)), nullable = true)
    val numbers =
      Field(1, "numbers", Dictionary(Integer(64, signed = true), Integer(8, signed = true)), nullable = true)
    val fields = Vector(words, numbers)
    val rows = Vector.fill(500)(Vector[Value](
      Option.when(random.nextInt(5) > 0)(utf8(s"word ${random.nextInt(9)}")),
      Option.when(random.nextInt(5) > 0)(random.nextInt(7).toLong)
    ))
    val store = new MemoryStore
    val task = write(store, FileVersion.V2_2, fields, rows)
    val (word, number) = (Leaf(Vector.empty, words), Leaf(Vector.empty, numbers))
    val aggregates =
      Vector(GroupAggregate.Rows, GroupAggregate.Values(word), GroupAggregate.Outermost(number, End.Greatest))
    val grouping = Grouping(Vector(word, number), aggregates)
    val found = partials(store, Split(Vector(task.copy(projection = grouping.projection))), grouping, 100)
    val expected = rows.groupBy(identity).map { case (key, some) =>
      key -> Vector(Some(BigInt(some.size)), Some(BigInt(some.count(_.head.isDefined)))).appended(
        key(1).collect { case v: Long => BigInt(v) }
      )
    }
    assert(GroupModel.combined(grouping, found) == expected)
  }

  test("without rows, there is one result without keys, and none with keys") {
    val store = new MemoryStore
    val aggregates = GroupAggregate.Rows +: keys.flatMap(all)
    val alone = Grouping(Vector.empty, aggregates)
    for (splits <- Seq(Split(Vector.empty), Split(Vector(emptied(store, alone))))) {
      val found = partials(store, splits, alone, 10)
      assert(found.size == 1 && GroupModel.combined(alone, found) == GroupModel.expected(alone, Nil))
      val grouped = alone.copy(keys = Vector(leaf("i32"), leaf("text")))
      val empty = splits.copy(tasks = splits.tasks.map(_.copy(projection = grouped.projection)))
      assert(partials(store, empty, grouped, 10).isEmpty)
    }
  }

  test("more groups than may be kept, and more bytes of keys, are returned in parts") {
    val store = new MemoryStore
    val rows = (0 until 4000).toVector.map(i =>
      fields.map { field =>
        field.name match {
          case "i64" => Some((i % 1000).toLong)
          case "text" => Some(utf8(s"${"long " * 20}${i % 500}"))
          case "d18" => Some(decimal(BigInt(i)))
          case _ => None
        }
      }
    )
    val table = new Table(store, FileVersion.V2_2, rows, new Random(1))
    val aggregates = Vector(GroupAggregate.Rows, GroupAggregate.DecimalSum(term("d18")))
    for {
      by <- Seq(Vector("i64"), Vector("text"), Vector("i64", "text"), Vector("text", "i64", "bool"))
      limits <- Seq(
        GroupLimits(500, 100, 1L << 20),
        GroupLimits(1 << 18, 2, 4000),
        GroupLimits(1 << 18, 1 << 13, 1)
      )
    } {
      val grouping = Grouping(by.map(leaf), aggregates)
      val (splits, _) = table.whole(grouping)
      val found = splits.flatMap(partials(store, _, grouping, 64, limits))
      val expected = GroupModel.expected(grouping, rows)
      assert(found.size > expected.size && GroupModel.combined(grouping, found) == expected, (by, limits))
    }
    val few = Grouping(Vector(leaf("i64")), aggregates)
    val (splits, _) = table.whole(few)
    assert(splits.flatMap(partials(store, _, few, 64)).size == 1000 * splits.size, "each group once")
  }

  test("results that repeat long keys fill small batches") {
    val store = new MemoryStore
    val long = utf8("long " * 1000)
    val rows = Vector.tabulate(1200)(i =>
      fields.map(_.name match {
        case "i64" => Some((i % 500).toLong)
        case "text" => Some(long)
        case "d18" => Some(decimal(BigInt(10).pow(18) - 1))
        case _ => None
      })
    )
    val table = new Table(store, FileVersion.V2_2, rows, new Random(1))
    val grouping =
      Grouping(Vector("i64", "text").map(leaf), Vector(GroupAggregate.DecimalSum(term("d18"))))
    for (limits <- Seq(GroupLimits(1 << 18, 1 << 13, 50000), GroupLimits(1 << 18, 1 << 13, 1))) {
      val found = table.whole(grouping)._1.flatMap { split =>
        Using.resource(new GroupReader(store, split, grouping, 300, () => (), limits)) { reader =>
          Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
            val bytes = reader.columns(1).values.sizeInBytes
            assert(reader.rowCount == 1 || bytes <= limits.keyBytes + 4L * reader.rowCount, bytes)
            GroupModel.partials(grouping, reader.columns, reader.rowCount)
          }.toVector
        }
      }
      assert(GroupModel.combined(grouping, found) == GroupModel.expected(grouping, rows))
    }
  }

  test("sums that exceed their types are returned in parts, each of which fits") {
    val most = BigInt(10).pow(18) - 1
    val random = new Random(8)
    val longs = Vector(Long.MaxValue, Long.MinValue, -1L, 1L, Long.MinValue + 1, 0L)
    val rows = Vector.fill(3000)(fields.map { field =>
      Option.when(random.nextInt(9) > 0)(field.name).flatMap {
        case "i64" => Some(any(longs, random))
        case "d18" => Some(decimal(any(Vector(most, -most, most - 1, BigInt(-5)), random)))
        case "d12" => Some(decimal(BigInt(10).pow(12) - 1 - random.nextInt(2)))
        case "i8" => Some(random.nextInt(4).toLong)
        case _ => None
      }
    })
    val store = new MemoryStore
    val table = new Table(store, FileVersion.V2_2, rows, random)
    val square = operation(NumericTerm.Times, term("d18"), term("d18"))
    val aggregates = Vector[GroupAggregate](
      GroupAggregate.IntegerSum(term("i64")),
      GroupAggregate.DecimalSum(term("d18")),
      GroupAggregate.DecimalSum(term("d12")),
      GroupAggregate.DecimalSum(square),
      GroupAggregate.DecimalSum(operation(
        NumericTerm.Minus,
        square,
        operation(NumericTerm.Times, one, term("d12"))
      )),
      GroupAggregate.DecimalSum(operation(NumericTerm.Plus, term("i64"), term("d18"))),
      GroupAggregate.Rows
    )
    for (
      by <- Seq(Vector.empty, Vector(leaf("i8"))); limits <- Seq(GroupLimits.default, GroupLimits(40, 9, 1))
    ) {
      val grouping = Grouping(by, aggregates)
      val (splits, _) = table.whole(grouping)
      val found = splits.flatMap(partials(store, _, grouping, 100, limits))
      val expected = GroupModel.expected(grouping, rows)
      assert(found.size > 1000 && GroupModel.combined(grouping, found) == expected, (by, limits))
    }
  }

  test("products that exceed a long take one more result for each group") {
    val store = new MemoryStore
    val rows = Vector.tabulate(3000)(i =>
      fields.map { field =>
        field.name match {
          case "i8" => Some((i % 5).toLong)
          case "d18" => Some(decimal(BigInt(10).pow(15) * (i % 7 - 1)))
          case _ => None
        }
      }
    )
    val table = new Table(store, FileVersion.V2_2, rows, new Random(1))
    val square = operation(NumericTerm.Times, term("d18"), term("d18"))
    val grouping = Grouping(Vector(leaf("i8")), Vector(GroupAggregate.DecimalSum(square)))
    val (splits, _) = table.whole(grouping)
    val found = splits.flatMap(partials(store, _, grouping, 100))
    assert(GroupModel.combined(grouping, found) == GroupModel.expected(grouping, rows))
    assert(found.size == 2 * 5 * splits.size)
  }

  test("a product beyond 38 digits is an error that says what to do") {
    val most = decimal(BigInt(10).pow(18) - 1)
    val store = new MemoryStore
    val rows = Vector(fields.map(field => Option.when(field.name == "d18")(most)))
    val table = new Table(store, FileVersion.V2_2, rows, new Random(1))
    val whole = NumericTerm.ExactLeaf(leaf("d18"), 18, 0)
    val cube = operation(NumericTerm.Times, operation(NumericTerm.Times, whole, whole), whole)
    val grouping = Grouping(Vector.empty, Vector(GroupAggregate.DecimalSum(cube)))
    val (splits, _) = table.whole(grouping)
    val thrown = intercept[ArithmeticException](splits.flatMap(partials(store, _, grouping, 100)))
    assert(thrown.getMessage.startsWith("a decimal exceeds 38 digits: "))
    assert(thrown.getMessage.endsWith("; cast an operand to a shorter decimal"))
  }

  test("whoever does not want to know any more ends it between batches") {
    val random = new Random(1)
    val store = new MemoryStore
    val table = new Table(store, FileVersion.V2_2, GroupTables.rows(random, 700, 5, FileVersion.V2_2), random)
    val grouping = Grouping(Vector(leaf("i8")), Vector(GroupAggregate.Rows))
    var left = 3
    def proceed(): Unit = { left -= 1; if (left == 0) throw new InterruptedException("enough") }
    Using.resource(new GroupReader(store, table.whole(grouping)._1.head, grouping, 10, () => proceed())) {
      reader =>
        assertThrows[InterruptedException](reader.next())
        assert(left == 0 && reader.stats.pagesRead > 0)
    }
  }
}

private object GroupReaderSuite {
  import GroupTables._

  /** Fragments of some rows each, a few of them deleted. */
  final private class Table(store: MemoryStore, version: FileVersion, rows: Vector[Row], random: Random) {
    private val fragments = rows.grouped(1 + rows.size / 3).toVector.map { rows =>
      val task = write(store, version, fields, rows)
      val deleted = rows.indices.filter(_ => random.nextInt(5) == 0).toSet
      (rows, task, deleted, Deletions.of(store, task, deleted))
    }

    /** All rows, deleted ones included, in one split. */
    def whole(grouping: Grouping): (Vector[Split], Vector[Row]) = {
      val tasks = fragments.map(_._2.copy(projection = grouping.projection))
      (Vector(Split(tasks)), rows)
    }

    /** Some ranges of the live rows, with a predicate or without, in one split or several. */
    def some(grouping: Grouping, random: Random): (Vector[Split], Vector[Row]) = {
      val (predicate, passes) = condition(random)
      val parts = fragments.flatMap { case (rows, _, deleted, task) =>
        val cut = random.nextInt(rows.size)
        Vector((0, cut), (cut, rows.size)).filter(_ => random.nextInt(5) > 0).map { case (from, end) =>
          val wanted = task.copy(
            rows = RowRanges(from.toLong, end.toLong),
            projection = grouping.projection,
            predicate = predicate
          )
          (wanted, (from until end).filterNot(deleted).map(rows).filter(passes).toVector)
        }
      }.filterNot(_._1.rows.isEmpty)
      val splits = if (random.nextBoolean()) parts.map(part => Split(Vector(part._1)))
      else Vector(Split(parts.map(_._1)))
      val needed = if (splits.isEmpty && grouping.keys.isEmpty) Vector(Split(Vector.empty)) else splits
      (needed, parts.flatMap(_._2))
    }
  }

  private def condition(random: Random): (Predicate, Row => Boolean) = {
    val (number, text) = (leaf("i16"), leaf("st.inner.text"))
    random.nextInt(4) match {
      case 0 =>
        (
          Predicate.Passes(number, NumberTest.Within(-20000, 9000)),
          row => valueOf(number, row).exists { case v: Long => v >= -20000 && v <= 9000; case _ => false }
        )
      case 1 => (Predicate.NotNull(text), row => valueOf(text, row).isDefined)
      case _ => (Predicate.Always, _ => true)
    }
  }

  private def partials(
      store: MemoryStore,
      split: Split,
      grouping: Grouping,
      batchRows: Int,
      limits: GroupLimits = GroupLimits.default
  ): Vector[(Vector[Value], Vector[Value])] =
    Using.resource(new GroupReader(store, split, grouping, batchRows, () => (), limits)) { reader =>
      Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
        assert(reader.rowCount > 0 && reader.rowCount <= batchRows)
        GroupModel.partials(grouping, reader.columns, reader.rowCount)
      }.toVector
    }

  private def emptied(store: MemoryStore, grouping: Grouping): FragmentTask = {
    val rows = GroupTables.rows(new Random(1), 20, 3, FileVersion.V2_2)
    val task = write(store, FileVersion.V2_2, fields, rows)
    Deletions.of(store, task, rows.indices.toSet).copy(projection = grouping.projection)
  }

  private def any[A](of: Vector[A], random: Random): A = of(random.nextInt(of.size))

  private def term(name: String): NumericTerm.ExactLeaf =
    NumericTerm.exact(leaf(name)).getOrElse(throw new NoSuchElementException(name))

  private val one: NumericTerm.Exact = NumericTerm.ExactConstant(BigInteger.ONE, 1, 0)

  private def operation(
      operation: NumericTerm.Operation,
      a: NumericTerm.Exact,
      b: NumericTerm.Exact
  ): NumericTerm.Exact =
    NumericTerm.operation(operation, a, b).getOrElse(throw new IllegalArgumentException(s"$a $operation $b"))

  /** The aggregates of a leaf. */
  private def all(leaf: Leaf): Vector[GroupAggregate] = {
    val outermost = Vector(End.Least, End.Greatest).map(GroupAggregate.Outermost(leaf, _))
    Vector(GroupAggregate.Values(leaf)) ++ outermost.filter(_ => GroupAggregate.isOrdered(leaf)) ++ sum(leaf)
  }

  private def sum(leaf: Leaf): Option[GroupAggregate] = leaf.field.logicalType match {
    case Integer(_, _) => NumericTerm.exact(leaf).map(GroupAggregate.IntegerSum(_))
    case Decimal(_, _, _) => NumericTerm.exact(leaf).map(GroupAggregate.DecimalSum(_))
    case FloatingPoint(_) => NumericTerm.floating(leaf).map(GroupAggregate.FloatingSum(_))
    case _ => None
  }

  private val exactLeaves = keys.filter(leaf => NumericTerm.exact(leaf).isDefined)

  private def aggregate(random: Random): GroupAggregate = random.nextInt(4) match {
    case 0 => GroupAggregate.Rows
    case 1 => any(all(any(keys ++ others, random)), random)
    case 2 =>
      val leaf = any(Vector("f32", "f64"), random)
      val operator = any(Vector(NumericTerm.Plus, NumericTerm.Minus, NumericTerm.Times), random)
      val (a, b) =
        (NumericTerm.FloatingLeaf(GroupTables.leaf(leaf)), NumericTerm.FloatingLeaf(GroupTables.leaf("f64")))
      GroupAggregate.FloatingSum(NumericTerm.FloatingOperation(
        operator,
        a,
        NumericTerm.FloatingOperation(
          any(Vector(NumericTerm.Plus, NumericTerm.Minus), random),
          NumericTerm.FloatingConstant(1.5),
          b
        )
      ))
    case _ => GroupAggregate.DecimalSum(decimalTerm(random, 2))
  }

  private def decimalTerm(random: Random, depth: Int): NumericTerm.Exact = {
    def leaf = NumericTerm.exact(any(exactLeaves, random)).getOrElse(one)
    if (depth == 0) random.nextInt(4) match {
      case 0 => one
      case 1 => NumericTerm.ExactConstant(BigInteger.valueOf(-1234567), 7, 3)
      case _ => leaf
    }
    else {
      val operator = any(Vector(NumericTerm.Plus, NumericTerm.Minus, NumericTerm.Times), random)
      NumericTerm.operation(operator, decimalTerm(random, depth - 1), leaf).filter(_.digits < 38)
        .getOrElse(leaf)
    }
  }
}
