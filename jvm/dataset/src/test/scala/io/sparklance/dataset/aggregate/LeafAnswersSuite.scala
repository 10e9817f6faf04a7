package io.sparklance.dataset.aggregate

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, LittleEndian, RowRange, RowRanges, Slice}
import io.sparklance.dataset.predicate.LeafValues
import io.sparklance.dataset.predicate.RowFilterSuite._
import io.sparklance.dataset.statistics.{
  ColumnStatistics,
  End,
  StatisticsCodec,
  ZoneCollector,
  ZoneFacts,
  ZoneFilterSuite
}
import io.sparklance.schema.LogicalType.{Decimal, FloatingPoint}
import io.sparklance.table.deletion.DeletionVector
import io.sparklance.testkit.ColumnText

/** Statistics, together with the rows that they leave open, give the answer of all rows. */
class LeafAnswersSuite extends AnyFunSuite {
  import LeafAnswersSuite._

  for (kind <- kinds :+ wideDecimals :+ LongWords)
    test(
      s"${if (kind == LongWords) "long " else ""}${kind.logicalType}: least, greatest and count are those of all rows"
    ) {
      var (open, all) = (0L, 0L)
      for (seed <- 0 until 150) {
        val random = new Random(seed.toLong)
        val asked = Seq(End.Least, End.Greatest).filter(_ => random.nextInt(3) > 0).toSet
        val isCounted = random.nextBoolean()
        val answers = new LeafAnswers(leaf(0, kind), asked, isCounted, 64)
        val fragments = Vector.fill(1 + random.nextInt(3))(new FragmentRows(kind, random))
        fragments.foreach { fragment =>
          answers.learn(fragment.wanted, fragment.deleted, fragment.statistics)
          open += shown(answers, kind, fragment.rows, fragment.live)
          all += fragment.wanted.count
        }
        val values = fragments.flatMap(f => f.live.flatMap(i => f.rows(i)))
        if (isCounted) assert(answers.count == values.size, s"seed $seed")
        asked.foreach { end =>
          val expected = values.reduceOption((a, b) => if (isBefore(kind, end, b, a)) b else a)
          val found = answers.found(end).map(text)
          val same = values.filter(v => expected.exists(kind.compare(_, v) == 0))
          val texts = same.map(v => text(column(kind, Vector(Some(v))).values))
          assert(found.isDefined == expected.isDefined && found.forall(texts.contains), s"seed $seed $end")
        }
      }
      assert(open < all, s"$open of $all rows are looked at")
    }

  test("whole values are distinguished from parts, and zeroes of both signs from one another") {
    def exactness(kind: Kind, values: Any*): (Boolean, Boolean) = {
      val some = column(kind, values.toVector.map(Some(_)))
      ZoneFilterSuite.stored(some, Vector(some.nulls), kind.logicalType, 0, 100).bounds match {
        case b: ZoneFacts.Numbers => (b.exactness.least(0), b.exactness.most(0))
        case b: ZoneFacts.Bytes => (b.exactness.least(0), b.exactness.most(0))
        case ZoneFacts.Unknown => fail("no bounds")
      }
    }
    val double = kinds.find(_.logicalType == FloatingPoint(64)).get
    assert(exactness(double, 0.0, 1.0) == ((true, true)))
    assert(exactness(double, 0.0, 1.0, -0.0) == ((false, true)))
    assert(exactness(double, -1.0, -0.0) == ((true, false)))
    assert(exactness(double, -1.0, -0.0, 2.0) == ((true, true)))
    assert(exactness(Words, "a", "b") == ((true, true)))
    assert(exactness(Words, "a", "z" * 32) == ((true, true)))
    assert(exactness(Words, "a", "z" * 33) == ((true, false)))
    assert(exactness(Words, "a" * 32, "a" * 33, "b") == ((true, true)))
    assert(exactness(Words, "a" * 33, "b") == ((false, true)))
    assert(exactness(wideDecimals, BigDecimal(5), BigDecimal(10).pow(30)) == ((true, false)))
  }

  test("of long texts that are alike only a few zones are looked at") {
    val rows = Vector.tabulate(400)(i => Some(f"${i / 20 % 10}%d" + "z" * 40 + f"$i%03d"))
    val stretch = column(LongWords, rows)
    val known = ZoneFilterSuite.stored(stretch, Vector(stretch.nulls), LongWords.logicalType, 0, 10)
    val answers = new LeafAnswers(leaf(0, LongWords), Set(End.Least, End.Greatest), isCounted = true, 64)
    answers.learn(RowRanges(0, 400), None, Vector(known))
    assert(shown(answers, LongWords, rows, rows.indices.toVector) <= 120)
    assert(answers.count == 400)
    assert(answers.found(End.Greatest).map(text).contains(text(column(LongWords, Vector(rows(399))).values)))
  }

  test("early files, which do not say what is a value, are right, too") {
    for (kind <- Seq(kinds.find(_.logicalType == FloatingPoint(64)).get, Words, LongWords)) {
      val rows = (0 until 40).map(i => Some(kind.value(new Random(i.toLong)))).toVector
      val answers = new LeafAnswers(leaf(0, kind), Set(End.Least, End.Greatest), isCounted = true, 64)
      answers.learn(RowRanges(0, 40), None, Vector(early(column(kind, rows), kind)))
      val _ = shown(answers, kind, rows, rows.indices.toVector)
      assert(answers.count == 40)
      val least = rows.flatten.reduce((a, b) => if (kind.compare(b, a) < 0) b else a)
      assert(answers.found(End.Least).map(text).exists(rows.flatten.filter(kind.compare(_, least) == 0)
        .map(v => text(column(kind, Vector(Some(v))).values)).contains))
    }
  }
}

private object LeafAnswersSuite {

  /** Some that a long holds, and others that are alike in what statistics know. */
  val wideDecimals: Kind = new Numbers(
    Decimal(128, 38, 1),
    Seq("0", "-1", "150", Long.MaxValue.toString, Long.MinValue.toString, "9223372036854775808") ++
      Seq("99999999999999999999999999999999999999", "-99999999999999999999999999999999999999") ++
      Seq("18446744073709551616", "18446744073709551615", "-18446744073709551617") map (BigDecimal(_)): _*
  )

  /** Values that mostly agree in their statistics. */
  object LongWords
      extends Texts(Vector("", "a", "z" * 31, "z" * 32, "z" * 33, "z" * 32 + "a", "a" * 40, "a" * 41))

  /** Shows all rows that are asked for, and counts them. */
  def shown(answers: LeafAnswers, kind: Kind, rows: Vector[Option[Any]], live: Vector[Int]): Long =
    Iterator.continually(answers.next()).takeWhile(!_.isEmpty).map { wanted =>
      live.filter(i => wanted.contains(i.toLong)).grouped(64).foreach { batch =>
        val some = column(kind, batch.map(rows))
        answers.add(LeafValues(some.values, Vector(some.nulls)), batch.size)
      }
      wanted.count
    }.sum

  def text(block: io.sparklance.data.DataBlock): String = {
    val column = new Column(block)
    column.nulls.appendValid(1)
    ColumnText.at(column, 0)
  }

  def isBefore(kind: Kind, end: End, a: Any, b: Any): Boolean = end match {
    case End.Least => kind.compare(a, b) < 0
    case End.Greatest => kind.compare(a, b) > 0
  }

  /** Rows, which of them are wanted, which are deleted, and statistics of one or two stretches of them. */
  final class FragmentRows(kind: Kind, random: Random) {
    private val pool = Vector.fill(1 + random.nextInt(4))(kind.value(random))
    val rows: Vector[Option[Any]] = Vector.fill(1 + random.nextInt(80)) {
      Option.when(random.nextInt(5) > 0)(
        if (random.nextInt(4) == 0) kind.value(random) else pool(random.nextInt(pool.size))
      )
    }
    val wanted: RowRanges =
      if (random.nextInt(3) > 0) RowRanges(0, rows.size.toLong)
      else {
        val from = random.nextInt(rows.size)
        RowRanges.of(Seq(RowRange(from, from + 9), RowRange(from + 20, from + 60)))
          .intersect(RowRange(0, rows.size))
      }
    private val gone = rows.indices.filter(i => random.nextInt(20) == 0 && i % 3 == 0).toSet
    val deleted: Option[DeletionVector] = Option.when(gone.nonEmpty && random.nextBoolean())(
      DeletionVector.of(RowRanges.ofRows(gone.map(_.toLong).toArray))
    )
    def live: Vector[Int] =
      rows.indices.filter(i => wanted.contains(i.toLong) && !deleted.exists(_.isDeleted(i.toLong))).toVector

    val statistics: Vector[ColumnStatistics] = {
      val cut = random.nextInt(rows.size)
      val stretches = Seq(rows.take(cut), rows.drop(cut)).filter(_.nonEmpty)
      if (random.nextInt(8) == 0) Vector.empty
      else stretches.map { some =>
        val stretch = column(kind, some)
        ZoneFilterSuite.stored(stretch, Vector(stretch.nulls), kind.logicalType, 0, 1 + random.nextInt(9))
      }.toVector
    }
  }

  /** Returns statistics as files recorded them before they had flags. */
  def early(column: Column, kind: Kind): ColumnStatistics = {
    val collector = new ZoneCollector(kind.logicalType, new Array[Int](5))
    collector.append(column.values, Vector(column.nulls))
    val known = collector.finish()
    val bytes = StatisticsCodec.print(known, 0, kind.logicalType)
    val size = kind.logicalType match {
      case FloatingPoint(_) =>
        bytes(24) = 2
        bytes.length - known.zones
      case _ =>
        val flags = 26 + bytes(25) + 4 * known.zones
        (flags until flags + known.zones).foreach(i => bytes(i) = (bytes(i) & 1).toByte)
        bytes.length
    }
    val cut = bytes.take(size)
    val crc = new java.util.zip.CRC32C
    crc.update(cut, 8, cut.length - 8)
    LittleEndian.putInt(cut, 4, crc.getValue.toInt)
    StatisticsCodec.parse(Slice(cut), 0, kind.logicalType).get
  }
}
