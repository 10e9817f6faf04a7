package io.sparklance.file

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ChosenRowsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  /** Ascending offsets with dense and sparse parts, of which the first are dropped. */
  private val chosen = for {
    steps <- Gen.listOfN(3000, Gen.frequency(20 -> 1L, 2 -> 2L, 1 -> 40L, 1 -> 5000L))
    dropped <- Gen.chooseNum(0, 2000)
  } yield {
    val offsets = steps.scanLeft(7L)(_ + _).toArray
    val rows = new ChosenRows
    rows.append(offsets, offsets.indices.toArray, offsets.length)
    rows.drop(dropped)
    rows
  }

  test("the last row that is near is the one that steps of one row find") {
    forAll(chosen, Gen.chooseNum(0, 900), Gen.chooseNum(0L, 50L), Gen.chooseNum(1L, 9000L)) {
      (rows, start, gap, length) =>
        val from = rows.first + start
        val until = rows.end - 50
        val below = rows(from) + length
        var last = from
        while (last + 1 < until && rows(last + 1) < below && rows(last + 1) - rows(last) <= gap) last += 1
        assert(rows.lastNear(from, until, gap, below) == last)
    }
  }

  test("offsets below a bound are copied, shifted") {
    forAll(chosen, Gen.chooseNum(0, 900), Gen.chooseNum(0L, 9000L)) { (rows, start, length) =>
      val from = rows.first + start
      val below = rows(from) + length
      val out = Array.fill(4000)(-1)
      val end = rows.copyBelow(from, rows.end, below, shift = 5, out, at = 3)
      val expected = (from until rows.end).map(rows(_)).takeWhile(_ < below).map(_.toInt + 5)
      assert(end == from + expected.size)
      assert(out.toSeq == Seq.fill(3)(-1) ++ expected ++ Seq.fill(3997 - expected.size)(-1))
    }
  }
}
