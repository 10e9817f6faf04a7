package io.sparklance.index.vector.build

import java.util.SplittableRandom

/** Chooses first centroids by k-means++: each point with a probability that grows with its distance from
  * those chosen before.
  */
private[build] object Seeding {

  def choose(points: Points, k: Int, geometry: Geometry, random: SplittableRandom): Array[Float] = {
    val (n, d) = (points.count, points.dimension)
    val centroids = new Array[Float](k * d)
    val distances = Array.fill(n)(Float.PositiveInfinity)
    var c = 0
    while (c < k) {
      val chosen = if (c == 0) random.nextInt(n) else pick(distances, random)
      System.arraycopy(points.values, chosen * d, centroids, c * d, d)
      geometry.admit(centroids, c * d, d)
      var i = 0
      while (i < n) {
        distances(i) = math.min(distances(i), geometry.distance(points, i, centroids, c * d))
        i += 1
      }
      c += 1
    }
    centroids
  }

  private def pick(weights: Array[Float], random: SplittableRandom): Int = {
    var sum = 0.0
    var i = 0
    while (i < weights.length) { sum += weights(i); i += 1 }
    if (!(sum > 0)) random.nextInt(weights.length)
    else {
      var left = random.nextDouble() * sum
      i = 0
      while (i < weights.length - 1 && left >= weights(i)) { left -= weights(i); i += 1 }
      i
    }
  }
}
