package io.sparklance.index.vector.build

import java.util.SplittableRandom

/** Sizes and sums of the clusters of a round of [[KMeans]]. */
final private[build] class ClusterSums(dimension: Int, k: Int, geometry: Geometry) {
  private val width = geometry.sumWidth(dimension)
  private val sizes = new Array[Int](k)
  private val sums = new Array[Double](k * width)
  private val nearest = new Array[Int](ClusterSums.Tile)
  private val distances = new Array[Float](ClusterSums.Tile)
  private var total = 0.0

  /** Sum of the distances of all points. */
  def loss: Double = total

  /** Adds points to their nearest clusters, which were empty. */
  def add(points: Points, assigner: Assigner): Unit = {
    java.util.Arrays.fill(sizes, 0)
    java.util.Arrays.fill(sums, 0.0)
    total = 0
    var first = 0
    while (first < points.count) {
      val rows = math.min(ClusterSums.Tile, points.count - first)
      assigner.nearest(points.values, first, rows, nearest, distances)
      var i = 0
      while (i < rows) {
        sizes(nearest(i)) += 1
        total += distances(i)
        geometry.add(points.values, (first + i) * dimension, sums, nearest(i) * width, dimension)
        i += 1
      }
      first += rows
    }
  }

  /** Returns the means of the clusters; an empty one keeps its centroid. */
  def means(old: Array[Float]): Array[Float] = {
    val out = old.clone()
    var c = 0
    while (c < k) {
      if (sizes(c) > 0) geometry.mean(sums, sizes(c), c * width, out, c * dimension, dimension)
      c += 1
    }
    out
  }

  /** Moves the centroids of empty clusters next to those of the largest ones. Returns whether it did.
    *
    * @param balances
    *   whether to move those of small clusters, too, while others are much larger than the average
    */
  def reseed(centroids: Array[Float], balances: Boolean, random: SplittableRandom): Boolean = {
    val most = if (balances) math.max(2, (sizes.iterator.map(_.toLong).sum * ClusterSums.Largest / k).toInt)
    else Int.MaxValue
    val ascending = Array.range(0, k).sortBy(c => sizes(c))
    var (low, high) = (0, k - 1)
    def large = sizes(ascending(high))
    def isMoved = low < high &&
      (sizes(ascending(low)) == 0 && large > 1 ||
        large > most && sizes(ascending(low)) < large / 2)
    val isChanged = isMoved
    while (isMoved) {
      geometry.split(centroids, ascending(high) * dimension, ascending(low) * dimension, dimension, random)
      low += 1
      high -= 1
    }
    isChanged
  }
}

private[build] object ClusterSums {

  /** Points that are assigned at once, while a block of centroids is in the cache. */
  final private val Tile = 256

  /** Size of a cluster that is split, as a multiple of the average. */
  final private val Largest = 4
}
