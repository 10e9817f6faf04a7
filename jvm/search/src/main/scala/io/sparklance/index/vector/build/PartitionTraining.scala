package io.sparklance.index.vector.build

import java.util.SplittableRandom

/** Trains the centroids of the partitions of an index. Many are trained in two steps: groups of points first,
  * then centroids in each group, as many as its share of the points; a round over all points follows.
  */
private[build] object PartitionTraining {

  /** Most centroids that are trained at once. */
  final private val Flat = 256

  /** @param points at least one */
  def train(points: Points, count: Int, geometry: Geometry, iterations: Int): Clusters = {
    val means = new KMeans(geometry, iterations)
    if (count <= Flat || points.count < 2 * count) means.train(points, count)
    else {
      val groups = math.ceil(math.sqrt(count.toDouble)).toInt
      val coarse = means.train(points.spread(groups * 64), groups).centroids
      val members = grouped(points, coarse, groups, geometry)
      val shares = divide(count, members.map(_.length))
      val centroids = members.zip(shares).filter(_._2 > 0).flatMap { case (numbers, share) =>
        means.train(points.at(numbers), share).centroids
      }
      means.refine(
        points,
        Clusters(centroids, Double.MaxValue),
        count,
        rounds = 2,
        balances = false,
        new SplittableRandom(count.toLong)
      )
    }
  }

  private def grouped(
      points: Points,
      centroids: Array[Float],
      k: Int,
      geometry: Geometry
  ): Array[Array[Int]] = {
    val nearest = new Array[Int](points.count)
    geometry.assigner(centroids, k, points.dimension)
      .nearest(points.values, 0, points.count, nearest, new Array[Float](points.count))
    val members = Array.fill(k)(Array.newBuilder[Int])
    nearest.indices.foreach(i => members(nearest(i)) += i)
    members.map(_.result())
  }

  /** Divides a number by shares. An empty share gets none, and each other one at least 1. */
  private[build] def divide(count: Int, shares: Array[Int]): Array[Int] = {
    val total = shares.iterator.map(_.toLong).sum
    val parts = shares.map(share => if (share == 0) 0 else math.max(1, (share.toLong * count / total).toInt))
    val bySize = shares.indices.sortBy(i => -shares(i))
    var left = count - parts.sum
    var i = 0
    while (left != 0) {
      val at = bySize(i % bySize.size)
      if (left > 0 && shares(at) > 0) { parts(at) += 1; left -= 1 }
      else if (left < 0 && parts(at) > 1) { parts(at) -= 1; left += 1 }
      i += 1
    }
    parts
  }
}
