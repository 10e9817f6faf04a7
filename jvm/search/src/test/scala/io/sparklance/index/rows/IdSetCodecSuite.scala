package io.sparklance.index.rows

import org.roaringbitmap.RoaringBitmap
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.RowRange
import io.sparklance.testkit.Hex
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

class IdSetCodecSuite extends AnyFunSuite {

  /** One array container: the values 1 and 2. */
  private val roaring = "3a300000 01000000 0000 0100 10000000 0100 0200"

  test("a set with sizes, as in bitmap indices") {
    val set = IdSetCodec.parse(Hex.slice(s"02000000 00000000 14000000 $roaring 05000000 14000000 $roaring"))
    assert(set.count === 4)
    assert(set.ranges.ranges === Vector(RowRange(1, 3), RowRange((5L << 32) + 1, (5L << 32) + 3)))
  }

  test("a set without sizes, as in n-gram indices") {
    val set = IdSetCodec.parseTreemap(Hex.slice(s"0200000000000000 00000000 $roaring 02000000 $roaring"))
    assert(set.ranges.ranges === Vector(RowRange(1, 3), RowRange((2L << 32) + 1, (2L << 32) + 3)))
  }

  test("an entry for all rows of a fragment, which takes no bytes and much memory, is not used") {
    intercept[UnsupportedLanceFeatureException](IdSetCodec.parse(Hex.slice("01000000 07000000 00000000")))
  }

  test("ranges are counted up to a limit") {
    val bitmap = new RoaringBitmap
    bitmap.add(0L, 5L)
    bitmap.add(7L, 8L)
    bitmap.add((1L << 32) - 2, 1L << 32)
    assert(IdSet.countRanges(bitmap, 10) == 3 && IdSet.rangesOf(bitmap).size == 3)
    assert(IdSet.countRanges(bitmap, 2) == 3 && IdSet.countRanges(bitmap, 0) == 1)
    assert(IdSet.countRanges(new RoaringBitmap, 10) == 0)
  }

  test("an empty set") {
    assert(IdSetCodec.parse(Hex.slice("00000000")).count === 0)
    assert(IdSetCodec.parseTreemap(Hex.slice("0000000000000000")).count === 0)
  }

  test("damaged sets are refused") {
    Seq(
      "",
      "01000000",
      "ffffffff 00000000 14000000",
      s"01000000 00000000 14000000 $roaring 00",
      s"01000000 00000000 13000000 ${roaring.dropRight(2)}",
      s"01000000 000000f0 14000000 $roaring",
      "01000000 00000000 ffffff7f 3a300000"
    ).foreach(hex => intercept[LanceFormatException](IdSetCodec.parse(Hex.slice(hex))))
    Seq("", "0100000000000000", s"0100000000000000 00000000 $roaring 00", "ffffffffffffff7f 00000000")
      .foreach(hex => intercept[LanceFormatException](IdSetCodec.parseTreemap(Hex.slice(hex))))
  }

  test("sets unite and intersect") {
    val (one, two) = (new IdSetBuilder, new IdSetBuilder)
    Seq(1L, 2L, (3L << 32) + 9).foreach(one.add)
    Seq(2L, 5L, 4L << 32).foreach(two.add)
    val (a, b) = (one.result, two.result)
    assert(a.union(b).count === 5)
    assert(a.intersect(b).ranges.ranges === Vector(RowRange(2, 3)))
  }

  test("ranges reach the last number of 32 bits") {
    val set = new IdSetBuilder
    set.add(0xffffffffL)
    set.add(0xfffffffeL)
    assert(set.result.ranges.ranges === Vector(RowRange(0xfffffffeL, 1L << 32)))
  }
}
