package io.sparklance.dataset.statistics

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, Fixed64Block, LittleEndian, NullMask, RowRanges, Slice, VariableBlock}
import io.sparklance.dataset.predicate.RowFilterSuite._
import io.sparklance.dataset.predicate.{BytesTest, NumberTest, Predicate}
import io.sparklance.schema.LogicalType.{Binary, FloatingPoint, Utf8}
import io.sparklance.schema.{Field, Leaf, LogicalType}
import io.sparklance.testkit.Ring

/** Statistics never rule out a row that passes, nor prove what is not true for a row. */
class ZoneFilterSuite extends AnyFunSuite {
  import ZoneFilterSuite._

  for (kind <- kinds)
    test(
      s"${kind.logicalType}: no row for which a random condition is true is left out, nor by its negation"
    ) {
      var (kept, proven, all) = (0L, 0L, 0L)
      val first = Random.nextInt(1 << 30)
      for (seed <- first until first + Ring.cases(fast = 8, everyday = 20, full = 80)) {
        val random = new Random(seed.toLong)
        val pool = Vector.fill(1 + random.nextInt(3))(kind.value(random))
        val rows =
          Vector.fill(random.nextInt(60))(Option.when(random.nextInt(9) > 0)(pool(random.nextInt(pool.size))))
        val words = Vector.fill(rows.size)(Words.pick(random))
        val leaves = Vector(leaf(0, kind), leaf(1, Words))
        val rowsPerZone = 1 + random.nextInt(9)
        val known = Vector(column(kind, rows) -> kind, column(Words, words) -> Words).zipWithIndex.map {
          case ((column, kind), i) => stored(column, Vector(column.nulls), kind.logicalType, i, rowsPerZone)
        }
        val filter = new ZoneFilter(rows.size.toLong, leaf => Vector(known(leaf.field.id)))
        for (_ <- 0 until 12) {
          val condition = generate(random, Vector(kind, Words), 2)
          val predicate = condition.predicate(leaves)
          for ((asked, truth) <- Seq(predicate -> true, predicate.negated -> false)) {
            val (found, open) = (filter.rowsOf(asked), filter.unproven(asked))
            def isSo(i: Int): Boolean = condition.truth(Vector(rows(i), words(i))).contains(truth)
            val lost = rows.indices.filter(i => isSo(i) && !found.contains(i.toLong))
            val wrong = rows.indices.filter(i => !isSo(i) && !open.contains(i.toLong))
            assert(lost.isEmpty && wrong.isEmpty, s"$condition $truth seed $seed")
            kept += found.count
            proven += rows.size - open.count
            all += rows.size
          }
        }
      }
      assert(kept < all * 9 / 10, s"$kept of $all rows are kept")
      assert(proven > all / 20, s"a condition is proven for $proven of $all rows")
    }

  test("byte strings are cut, and bounds hold for what was cut off") {
    val random = new Random(2)
    def part: Array[Byte] =
      Array.fill(random.nextInt(4) * 16)(Seq(0, 97, 0x7f, 0x80, 0xfe, 0xff, 0xff)(random.nextInt(7)).toByte)
    for (_ <- 0 until 300) {
      val head = Array.fill(random.nextInt(40))(Seq(0xff, 0xff, 0x61)(random.nextInt(3)).toByte)
      val values = Vector.fill(1 + random.nextInt(6))(head ++ part)
      val filter = filterOf(bytesColumn(values), Binary(large = false), rowsPerZone = 10)
      for (value <- values; test <- testsThatPass(value))
        assert(
          filter.rowsOf(Predicate.Passes(binary, test)).count == values.size &&
            !filter.unproven(Predicate.Fails(binary, test)).isEmpty,
          test
        )
      for (value <- values; test <- testsThatFail(value))
        assert(
          filter.rowsOf(Predicate.Fails(binary, test)).count == values.size &&
            !filter.unproven(Predicate.Passes(binary, test)).isEmpty,
          test
        )
    }
  }

  test("long strings with equal kept prefixes are distinguished from others, but not from one another") {
    val head = "é" * 15 + "a\ud83d\ude00"
    val filter =
      filterOf(bytesColumn(Vector(head + "x", head + "y").map(_.getBytes(UTF_8))), Binary(large = false), 10)
    def found(value: String): Boolean =
      !filter.rowsOf(Predicate.Passes(binary, BytesTest.SameAs(bytes(value)))).isEmpty
    assert(found(head + "x") && found(head + "z") && !found("é" * 15) && !found("é" * 15 + "b"))
  }

  test("zones without values, NaN beside numbers, and zeroes of both signs") {
    val double = FloatingPoint(64)
    val column = new Column(new Fixed64Block)
    val values = Seq(0.0, -0.0, Double.NaN, Double.NaN, 1.0, Double.NaN)
    values.foreach { v =>
      column.values match {
        case b: Fixed64Block => b.append(java.lang.Double.doubleToRawLongBits(v)); case _ => ()
      }
      column.nulls.appendValid(1)
    }
    column.appendNulls(2)
    val known = stored(column, Vector(column.nulls), double, 0, rowsPerZone = 2)
    known.bounds match {
      case numbers: ZoneFacts.Numbers =>
        assert(numbers.nans.toSeq == Seq(0, 2, 1, 0) && known.nulls.toSeq == Seq(0, 0, 0, 2))
        assert(numbers.least(0) == 0 && numbers.most(0) == 0 && numbers.least(1) > numbers.most(1))
      case other => fail(s"$other")
    }
    val x = Leaf(Vector.empty, Field(0, "x", double, nullable = true))
    val filter = new ZoneFilter(8, _ => Vector(known))
    val zero = Predicate.Passes(x, NumberTest.Within(0, 0))
    assert(filter.rowsOf(zero).contains(0) && !filter.rowsOf(zero).contains(6))
    assert(filter.rowsOf(zero.negated) == RowRanges(2, 6))
    assert(filter.rowsOf(Predicate.IsNull(x)) == RowRanges(6, 8) &&
      filter.rowsOf(Predicate.NotNull(x)) == RowRanges(0, 6))
    assert(filter.unproven(Predicate.IsNull(x)) == RowRanges(0, 6) &&
      filter.unproven(Predicate.NotNull(x)) == RowRanges(6, 8))
    assert(filter.unproven(zero) == RowRanges(2, 8) && filter.unproven(zero.negated) == RowRanges(0, 8))
  }

  test("a value in a struct that is null counts as null") {
    val numbers = bytesColumn(Vector("a", "b", "c").map(_.getBytes(UTF_8)))
    val around = new NullMask
    around.appendValid(1)
    around.appendNull(2)
    val known = stored(numbers, Vector(around, numbers.nulls), Utf8(large = false), 0, rowsPerZone = 3)
    val filter = new ZoneFilter(3, _ => Vector(known))
    assert(known.nulls.toSeq == Seq(2))
    val c = Predicate.Passes(binary, BytesTest.SameAs(bytes("c")))
    assert(filter.rowsOf(c).isEmpty && filter.unproven(c.negated).count == 3)
  }

  test("several stretches follow one another, and leaves without statistics rule out nothing") {
    def stretch(from: Int): ColumnStatistics = {
      val column = bytesColumn(Vector.tabulate(5)(i => f"${from + i}%03d".getBytes(UTF_8)))
      stored(column, Vector(column.nulls), Binary(large = false), 0, rowsPerZone = 2)
    }
    val filter =
      new ZoneFilter(10, leaf => if (leaf == binary) Vector(stretch(0), stretch(100)) else Vector.empty)
    val one = Predicate.Passes(binary, BytesTest.SameAs(bytes("102")))
    val other = Predicate.Passes(
      Leaf(Vector.empty, Field(7, "y", Binary(large = false), nullable = true)),
      BytesTest.SameAs(bytes("1"))
    )
    assert(filter.rowsOf(one) == RowRanges(7, 9))
    assert(filter.rowsOf(other) == RowRanges(0, 10))
    assert(filter.rowsOf(Predicate.all(one, other)) == RowRanges(7, 9))
    assert(filter.rowsOf(Predicate.AnyOf(Vector(one, other))) == RowRanges(0, 10))
    val below = Predicate.Passes(binary, BytesTest.Before(bytes("100")))
    assert(filter.unproven(below) == RowRanges(5, 10))
    assert(filter.unproven(Predicate.all(below, other)) == RowRanges(0, 10))
    assert(filter.unproven(Predicate.AnyOf(Vector(below, other))) == RowRanges(5, 10))
  }

  test("statistics that are damaged, or of another column or type, are none") {
    val good = printed(bytesColumn(Vector("a", "b" * 50).map(_.getBytes(UTF_8))))
    def parse(
        bytes: Array[Byte],
        column: Int = 4,
        logicalType: LogicalType = Binary(large = false)
    ): Boolean =
      StatisticsCodec.parse(Slice(bytes), column, logicalType).isDefined
    assert(parse(good) && !parse(good, column = 5) && !parse(good, logicalType = Utf8(large = false)))
    for (at <- good.indices; mask <- Seq(1, 0x80)) assert(!parse(good.updated(at, (good(at) ^ mask).toByte)))
    for (size <- good.indices) assert(!parse(good.take(size)))
  }

  test("statistics that contradict themselves are refused, however they are signed") {
    val good = printed(bytesColumn(Vector("a", "b" * 50).map(_.getBytes(UTF_8))))
    for (at <- 12 until good.length; value <- Seq(0, 1, 0x7f, 0xff)) {
      val lie = StatisticsCodec.signed(good.updated(at, value.toByte))
      try { val _ = StatisticsCodec.parse(Slice(lie), 4, Binary(large = false)) }
      catch { case _: LanceFormatException => () }
    }
    for (rows <- Seq(-1L, 1L << 40, Long.MaxValue)) {
      val lie = good.clone
      LittleEndian.putLong(lie, 16, rows)
      assertThrows[LanceFormatException](StatisticsCodec.parse(
        Slice(StatisticsCodec.signed(lie)),
        4,
        Binary(large = false)
      ))
    }
  }

  test("as many NaNs as a zone has values, but no more and no fewer than none") {
    val double = FloatingPoint(64)
    val zeroes = new Fixed64Block
    val _ = zeroes.extend(2)
    val column = new Column(zeroes)
    column.nulls.appendValid(2)
    column.appendNulls(1)
    val collector = new ZoneCollector(double, new Array[Int](3))
    collector.append(column.values, Vector(column.nulls))
    val good = StatisticsCodec.print(collector.finish(), 0, double)
    val at = good.length - 5 // a count and a byte of flags are last
    for (nans <- 0 to 2) assert(StatisticsCodec.parse(Slice(withInt(good, at, nans)), 0, double).isDefined)
    for (nans <- Seq(-1, 3, Int.MinValue, Int.MaxValue)) assertThrows[LanceFormatException] {
      StatisticsCodec.parse(Slice(withInt(good, at, nans)), 0, double)
    }
  }
}

private[dataset] object ZoneFilterSuite {
  private val binary = Leaf(Vector.empty, Field(0, "x", Binary(large = false), nullable = true))

  private def bytesColumn(values: Vector[Array[Byte]]): Column = {
    val column = new Column(new VariableBlock)
    values.foreach { value =>
      column.values match { case b: VariableBlock => b.append(value, 0, value.length); case _ => () }
      column.nulls.appendValid(1)
    }
    column
  }

  /** Statistics as they come out of a file. */
  def stored(
      column: Column,
      nulls: Vector[NullMask],
      logicalType: LogicalType,
      index: Int,
      rowsPerZone: Int
  ): ColumnStatistics = {
    val collector = new ZoneCollector(logicalType, new Array[Int](rowsPerZone))
    collector.append(column.values, nulls)
    val bytes = StatisticsCodec.print(collector.finish(), index, logicalType)
    StatisticsCodec.parse(Slice(bytes), index, logicalType).get
  }

  private def filterOf(column: Column, logicalType: LogicalType, rowsPerZone: Int): ZoneFilter = {
    val known = stored(column, Vector(column.nulls), logicalType, 0, rowsPerZone)
    new ZoneFilter(column.length.toLong, _ => Vector(known))
  }

  private def printed(column: Column): Array[Byte] = {
    val collector = new ZoneCollector(Binary(large = false), new Array[Int](1))
    collector.append(column.values, Vector(column.nulls))
    StatisticsCodec.print(collector.finish(), 4, Binary(large = false))
  }

  private def withInt(bytes: Array[Byte], at: Int, value: Int): Array[Byte] = {
    val changed = bytes.clone
    LittleEndian.putInt(changed, at, value)
    StatisticsCodec.signed(changed)
  }

  private def testsThatPass(value: Array[Byte]): Seq[BytesTest] = Seq(
    BytesTest.SameAs(BytesTest.bytes(value)),
    BytesTest.NotAfter(BytesTest.bytes(value)),
    BytesTest.Before(BytesTest.bytes(value :+ 0.toByte)),
    BytesTest.oneOf(Seq(value, Array[Byte](1)))
  ) ++ value.inits.map(part => BytesTest.StartsWith(BytesTest.bytes(part)))

  private def testsThatFail(value: Array[Byte]): Seq[BytesTest] = Seq(
    BytesTest.SameAs(BytesTest.bytes(value :+ 1.toByte)),
    BytesTest.Before(BytesTest.bytes(value)),
    BytesTest.StartsWith(BytesTest.bytes(value :+ 0xff.toByte))
  ) ++ value.inits.drop(1).map(part => BytesTest.NotAfter(BytesTest.bytes(part)))
}
