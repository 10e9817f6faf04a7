package io.sparklance.dataset.order

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.schema.LogicalType.{Integer, Utf8}
import io.sparklance.schema.{Field, Leaf}

class TopBoundSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val number = Leaf(Vector.empty, Field(0, "n", Integer(64, signed = true), nullable = true))
  private val order = RowOrder.of(number, Direction.Descending, NullPlace.Last).get

  private val rank: Gen[Long] = Gen.frequency(
    8 -> Gen.choose(0L, 20L),
    1 -> Gen.oneOf(Long.MinValue, Long.MaxValue),
    1 -> Gen.choose(Long.MinValue, Long.MaxValue)
  )
  private val batches: Gen[List[List[Long]]] = Gen.listOf(Gen.listOf(rank))

  private def kept(bound: TopBound, batch: List[Long]): List[Long] = {
    val places = new Array[Int](batch.size)
    val n = bound.narrow(batch.toArray, batch.size, places)
    places.take(n).toList.map(batch)
  }

  test("the greatest ranks are kept of any batches, and all that are like the last of them") {
    forAll(batches, Gen.choose(1, 30)) { (batches, limit) =>
      val bound = new TopBound(TopRows(order, limit, Ties.Kept))
      val found = batches.flatMap(kept(bound, _)).sorted.reverse
      val all = batches.flatten.sorted.reverse
      val last = all.take(limit).lastOption
      assert(found.startsWith(all.takeWhile(r => last.forall(r >= _))))
    }
  }

  test("of ranks that are alike as many are kept as are wanted, but of the outermost all") {
    forAll(batches, Gen.choose(1, 30)) { (batches, limit) =>
      val bound = new TopBound(TopRows(order, limit, Ties.Dropped))
      val found = batches.flatMap(kept(bound, _)).sorted.reverse
      val all = batches.flatten.sorted.reverse
      assert(found.startsWith(all.take(limit)))
      for (outermost <- Seq(Long.MinValue, Long.MaxValue); if all.take(limit).lastOption.contains(outermost))
        assert(found.count(_ == outermost) == all.count(_ == outermost))
    }
    val bound = new TopBound(TopRows(order, 3, Ties.Dropped))
    assert(kept(bound, List(5, 5, 5, 5, 4)) == List(5, 5, 5) && kept(bound, List(5, 6, 5)) == List(6))
  }

  test("bounds known beforehand count like rows that were read") {
    val bound = new TopBound(TopRows(order, 2, Ties.Dropped))
    bound.raise(7)
    assert(bound.admits(7) && !bound.admits(6))
    assert(kept(bound, List(1, 7, 6, 7, 7, 9)) == List(7, 7, 9))
    bound.raise(3)
    assert(!bound.admits(7) && bound.admits(8))
  }

  test("beginnings of byte strings never fall where these rise") {
    val bytes = Gen.listOf(Gen.oneOf(Seq[Byte](0, 1, 127, -128, -1))).map(_.take(10).toArray)
    forAll(bytes, bytes, Gen.choose(0, 9)) { (a, b, room) =>
      def prefix(value: Array[Byte]): Long =
        SortKeys.prefix(Array.fill[Byte](3)(9) ++ value ++ Array.fill[Byte](room)(7), 3, value.length)
      val order = java.util.Arrays.compareUnsigned(a, b)
      assert(order == 0 && prefix(a) == prefix(b) || order < 0 && prefix(a) <= prefix(b) ||
        order > 0 && prefix(a) >= prefix(b))
    }
  }

  test("more rows than are worth it, and types without an order are refused") {
    intercept[IllegalArgumentException](TopRows(order, TopRows.MaxLimit + 1, Ties.Kept))
    intercept[IllegalArgumentException](TopRows(order, 0, Ties.Kept))
    val text = number.field.copy(logicalType = Utf8(large = false))
    assert(RowOrder.of(Leaf(Vector.empty, text), Direction.Ascending, NullPlace.First).isDefined)
    val struct = number.field.copy(logicalType = io.sparklance.schema.LogicalType.Struct)
    assert(RowOrder.of(Leaf(Vector.empty, struct), Direction.Ascending, NullPlace.First).isEmpty)
  }
}
