package io.sparklance.index.vector.build

import java.util.SplittableRandom

/** Centroids, and the sum of the distances of the points from the nearest ones. */
final private[build] case class Clusters(centroids: Array[Float], loss: Double)

/** Trains centroids by Lloyd's algorithm.
  *
  * The first centroids are chosen by k-means++ from a part of the points, the first rounds look at a quarter
  * of them. In these rounds clusters that are empty take half of the largest one, and so do the smallest ones
  * while the largest has more than four times the average, so that partitions are balanced.
  *
  * @param geometry
  *   the distance, and the mean that goes with it
  */
final private[build] class KMeans(geometry: Geometry, iterations: Int) {
  import KMeans._

  /** Returns `k` centroids. Of fewer points, some are the same. Equal points give equal centroids. */
  def train(points: Points, k: Int): Clusters = {
    val random = new SplittableRandom(Seed)
    val first = Seeding.choose(points.spread(math.max(SeedPoints, SeedPointsEach * k)), k, geometry, random)
    val some = if (points.count >= QuarterFrom * k) points.spread(points.count / 4) else points
    val early = if (some.count < points.count) math.min(EarlyRounds, iterations / 2) else 0
    val begun = refine(some, Clusters(first, Double.MaxValue), k, early, balances = true, random)
    refine(points, begun.copy(loss = Double.MaxValue), k, math.max(1, iterations - early), early == 0, random)
  }

  /** Improves centroids. */
  def refine(
      points: Points,
      from: Clusters,
      k: Int,
      rounds: Int,
      balances: Boolean,
      random: SplittableRandom
  ): Clusters = {
    val sums = new ClusterSums(points.dimension, k, geometry)
    var clusters = from
    var round = 0
    var isDone = false
    while (round < rounds && !isDone) {
      sums.add(points, geometry.assigner(clusters.centroids, k, points.dimension))
      val next = Clusters(sums.means(clusters.centroids), sums.loss)
      val changed = sums.reseed(next.centroids, balances && round < BalancedRounds, random)
      isDone = !changed && clusters.loss - next.loss <= Enough * math.abs(next.loss)
      clusters = next
      round += 1
    }
    clusters
  }
}

private[build] object KMeans {
  final private val Seed = 42L
  final private val SeedPoints = 1024
  final private val SeedPointsEach = 8
  final private val QuarterFrom = 64
  final private val EarlyRounds = 10
  final private val BalancedRounds = 5

  /** Share of the loss by which a round must improve it for another one. */
  final private val Enough = 1e-3
}
