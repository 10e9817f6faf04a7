package io.sparklance.index.vector.build

import java.util.SplittableRandom

import org.scalatest.funsuite.AnyFunSuite

class KMeansSuite extends AnyFunSuite {
  import KMeansSuite._

  test("first centroids for dot products have length 1, however long the vectors are") {
    val first = Seeding.choose(points(500), 8, Geometry.Spherical, new SplittableRandom(3))
    assert(lengths(first).forall(close))
  }

  test("the halves of a split cluster for dot products have length 1") {
    val centroids = Array(1f, 0f, 0f, 0f, 0f, 0f, 0f, 0f)
    Geometry.Spherical.split(centroids, 0, Dimension, Dimension, new SplittableRandom(3))
    assert(lengths(centroids).forall(close))
  }

  test("a cluster of zeros has a centroid of zeros for dot products") {
    val zeros = Points(new Array[Float](10 * Dimension), Dimension)
    val found = new KMeans(Geometry.Spherical, 10).train(zeros, 2).centroids
    assert(found.forall(_ == 0f))
  }

  test("a training by dot products ends with centroids of length 1 that all have points") {
    val all = points(2000)
    val found = new KMeans(Geometry.Spherical, 50).train(all, 8).centroids
    assert(lengths(found).forall(close))
    val nearest = new Array[Int](all.count)
    Geometry.Spherical.assigner(found, 8, Dimension)
      .nearest(all.values, 0, all.count, nearest, new Array[Float](all.count))
    assert(nearest.toSet.size == 8)
  }
}

private object KMeansSuite {
  final val Dimension = 4

  /** Vectors of lengths between 0.01 and 100. */
  def points(count: Int): Points = {
    val random = new java.util.Random(5)
    val values = Array.fill(count) {
      val length = math.pow(10, 4 * random.nextDouble() - 2)
      Array.fill(Dimension)((random.nextGaussian() * length).toFloat)
    }
    Points(values.flatten, Dimension)
  }

  def lengths(centroids: Array[Float]): Vector[Double] =
    centroids.grouped(Dimension).map(c => math.sqrt(c.map(x => x.toDouble * x).sum)).toVector

  def close(length: Double): Boolean = math.abs(length - 1) < 1e-5
}
