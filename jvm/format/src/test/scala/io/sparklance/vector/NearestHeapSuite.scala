package io.sparklance.vector

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** The heap keeps what a sort would. */
class NearestHeapSuite extends AnyFunSuite {

  private def sorted(rows: Seq[(Float, Long)]): Vector[(Float, Long)] =
    rows.filterNot(_._1.isNaN).sortBy { case (d, a) => (d, a) }(
      Ordering.Tuple2(Ordering.Float.TotalOrdering, Ordering.Long)
    ).toVector

  private def rows(found: Neighbors): Vector[(Float, Long)] = found.distances.zip(found.addresses).toVector

  test("the nearest rows come out in order, ties by address") {
    val random = new Random(1)
    for (k <- Seq(1, 2, 3, 10, 64, 65, 1000); n <- Seq(0, 1, 2, 9, 64, 300, 2000)) {
      val offered = Vector.fill(n)((random.nextInt(40).toFloat - 5, random.nextInt(5000).toLong)).distinct
      val heap = new NearestHeap(k)
      offered.foreach { case (d, a) => heap.offer(d, a) }
      assert(heap.size == math.min(k, offered.size))
      assert(rows(heap.drain()) == sorted(offered).take(k), s"k $k of $n")
      assert(heap.size == 0)
    }
  }

  test("infinite distances count, NaN does not") {
    val heap = new NearestHeap(3)
    Seq(Float.NaN, Float.PositiveInfinity, 1f, Float.NegativeInfinity).zipWithIndex.foreach { case (d, i) =>
      heap.offer(d, i.toLong)
    }
    assert(heap.bound.isPosInfinity)
    assert(heap.drain().addresses.toVector == Vector(3, 2, 1))
  }

  test("NaN is last or first, where a search wants it, and the bound lets in what is nearer") {
    val nan = Float.NaN
    def kept(k: Int, nans: NanRank, distances: Float*) = {
      val heap = new NearestHeap(k, nans)
      distances.zipWithIndex.foreach { case (d, i) => heap.offer(d, i.toLong) }
      (heap.bound, heap.drain().addresses.toVector)
    }
    val some = Seq(nan, 2f, nan, Float.PositiveInfinity, 1f)
    assert(kept(9, NanRank.Last, some: _*) == (Float.PositiveInfinity -> Vector(4, 1, 3, 0, 2)))
    assert(kept(4, NanRank.Last, some: _*) == (Float.PositiveInfinity -> Vector(4, 1, 3, 0)))
    assert(kept(2, NanRank.Last, some: _*) == (2f -> Vector(4, 1)))
    assert(kept(9, NanRank.First, some: _*) == (Float.PositiveInfinity -> Vector(0, 2, 4, 1, 3)))
    assert(kept(3, NanRank.First, some: _*) == (1f -> Vector(0, 2, 4)))
    assert(kept(1, NanRank.First, some: _*) == (Float.NegativeInfinity -> Vector(0)))
  }

  test("the bound is the farthest distance once there are enough rows") {
    val heap = new NearestHeap(2)
    assert(heap.bound.isPosInfinity)
    heap.offer(5, 0)
    assert(heap.bound.isPosInfinity)
    heap.offer(3, 1)
    assert(heap.bound == 5)
    heap.offer(4, 2)
    assert(heap.bound == 4)
  }

  test("answers of parts merge to that of the whole") {
    val random = new Random(2)
    val all = Vector.tabulate(500)(i => (random.nextInt(20).toFloat, i.toLong))
    val parts = all.grouped(70).map { part =>
      val heap = new NearestHeap(12)
      part.foreach { case (d, a) => heap.offer(d, a) }
      heap.drain()
    }
    assert(rows(Neighbors.nearest(12, parts)) == sorted(all).take(12))
    assert(Neighbors.nearest(5, Iterator.empty).size == 0)
  }
}
