package io.sparklance.data

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class RowRangesSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val range =
    Gen.zip(Gen.chooseNum(0L, 60L), Gen.chooseNum(-3L, 12L)).map { case (start, n) =>
      RowRange(start, start + n)
    }
  private val some = Gen.listOf(range).map(RowRanges.of(_))

  private def rows(ranges: RowRanges): Vector[Long] = ranges.ranges.flatMap(r => r.start until r.end)

  test(
    "ranges in any order, also empty and overlapping ones, are the rows of any of them, with gaps between"
  ) {
    forAll(Gen.listOf(range)) { all =>
      val ranges = RowRanges.of(all)
      assert(rows(ranges) == all.flatMap(r => r.start until r.end).distinct.sorted)
      assert(ranges.ranges.forall(!_.isEmpty) && ranges.count == rows(ranges).size)
      ranges.ranges.zip(ranges.ranges.drop(1)).foreach { case (a, b) => assert(a.end < b.start) }
    }
  }

  test("they are sets") {
    forAll(some, some, range) { (a, b, one) =>
      assert(rows(a.intersect(b)) == rows(a).intersect(rows(b)))
      assert(rows(a.union(b)) == rows(a).concat(rows(b)).distinct.sorted)
      assert(rows(a.intersect(one)) == rows(a).filter(r => r >= one.start && r < one.end))
      assert(rows(a.complement.intersect(RowRange(0, 100))) == (0L until 100L).toVector.diff(rows(a)))
      assert(a.complement.complement == a)
      assert((0L until 80L).filter(a.contains) == rows(a))
      assert(RowRanges.ofRows(rows(a).reverse.toArray) == a)
    }
  }

  test("a slice counts the rows, not the gaps between them") {
    forAll(some, Gen.chooseNum(0L, 80L), Gen.oneOf(Gen.chooseNum(0L, 80L), Gen.const(Long.MaxValue))) {
      (ranges, from, until) =>
        val expected = rows(ranges).slice(from.toInt, math.min(until, 1000).toInt)
        assert(rows(ranges.slice(from, until)) == expected)
    }
  }

  test("small gaps can be closed") {
    val ranges = RowRanges.of(Seq(RowRange(0, 2), RowRange(4, 5), RowRange(9, 10)))
    assert(ranges.joined(2) == RowRanges.of(Seq(RowRange(0, 5), RowRange(9, 10))))
    assert(ranges.joined(1) == ranges && ranges.joined(4) == RowRanges(0, 10))
    assert(RowRanges.empty.joined(9).isEmpty)
  }

  test("all rows are all that there can be") {
    assert(RowRanges.all.complement.isEmpty && RowRanges.empty.complement == RowRanges.all)
    assert(RowRanges.all.intersect(RowRange(5, 9)) == RowRanges(5, 9))
  }
}
