package io.sparklance.io

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.ByteRange

class RangeCoalescerSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  import RangeCoalescer.{coalesce, split}

  test("ranges a small gap apart are read as one, in whatever order they come") {
    val wanted = Vector(ByteRange(30, 10), ByteRange(0, 10), ByteRange(12, 8))
    assert(coalesce(wanted, maxGap = 10, maxLength = 100) ==
      Vector(RangeGroup(ByteRange(0, 40), Vector(1, 2, 0))))
    assert(coalesce(wanted, maxGap = 2, maxLength = 100).map(_.range) ==
      Vector(ByteRange(0, 20), ByteRange(30, 10)))
    assert(coalesce(wanted, maxGap = 10, maxLength = 20).map(_.range) ==
      Vector(ByteRange(0, 20), ByteRange(30, 10)))
  }

  test("overlapping and equal ranges share a read, and nothing needs none") {
    val wanted = Vector(ByteRange(0, 100), ByteRange(10, 5), ByteRange(0, 100))
    assert(coalesce(wanted, 0, 1000).map(_.range) == Vector(ByteRange(0, 100)))
    assert(coalesce(Vector.empty, 0, 1000).isEmpty)
  }

  test("the parts of a range are the range") {
    assert(split(ByteRange(5, 25), 10) == Vector(ByteRange(5, 10), ByteRange(15, 10), ByteRange(25, 5)))
    assert(split(ByteRange(5, 10), 10) == Vector(ByteRange(5, 10)))
    assert(split(ByteRange(5, 0), 10).isEmpty)
  }

  test("every wanted range lies in the one group that names it") {
    val ranges = Gen.listOf(for (o <- Gen.choose(0L, 1000L); n <- Gen.choose(0L, 50L))
      yield ByteRange(o, n)).map(_.toVector)
    forAll(ranges, Gen.choose(0L, 20L), Gen.choose(1L, 200L)) { (wanted, gap, length) =>
      val groups = coalesce(wanted, gap, length)
      assert(groups.flatMap(_.members).sorted == wanted.indices.toVector)
      for (group <- groups; i <- group.members)
        assert(group.range.offset <= wanted(i).offset && wanted(i).end <= group.range.end)
    }
  }
}
