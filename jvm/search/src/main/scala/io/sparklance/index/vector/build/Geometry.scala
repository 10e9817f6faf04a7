package io.sparklance.index.vector.build

import java.util.SplittableRandom

import io.sparklance.vector.Metric

/** A distance of vectors, and the mean of a cluster that goes with it. */
sealed abstract private[build] class Geometry extends Product with Serializable {
  def assigner(centroids: Array[Float], count: Int, dimension: Int): Assigner

  /** Adds a vector to the sum of a cluster. */
  def add(values: Array[Float], from: Int, sums: Array[Double], to: Int, n: Int): Unit = {
    var i = 0
    while (i < n) { sums(to + i) += values(from + i); i += 1 }
  }

  /** Numbers of the sum of a cluster. */
  def sumWidth(dimension: Int): Int = dimension

  /** Computes the mean of a cluster. */
  def mean(sums: Array[Double], size: Int, from: Int, out: Array[Float], at: Int, n: Int): Unit = {
    var i = 0
    while (i < n) { out(at + i) = (sums(from + i) / size).toFloat; i += 1 }
  }

  /** Makes a vector a centroid. */
  def admit(centroids: Array[Float], at: Int, n: Int): Unit = ()

  /** Distance by which the first centroids are chosen. */
  def distance(points: Points, point: Int, centroids: Array[Float], at: Int): Float =
    points.squaredDistance(point, centroids, at)

  /** Puts the centroid at `to` beside the one at `from`, and moves that one the other way. */
  def split(centroids: Array[Float], from: Int, to: Int, n: Int, random: SplittableRandom): Unit = {
    var i = 0
    while (i < n) {
      val step = if (random.nextBoolean()) Geometry.Step else -Geometry.Step
      centroids(to + i) = centroids(from + i) * (1 + step)
      centroids(from + i) = centroids(from + i) * (1 - step)
      i += 1
    }
    admit(centroids, to, n)
    admit(centroids, from, n)
  }
}

private[build] object Geometry {
  final private val Step = 1f / 1024

  /** Squared differences. */
  case object Euclidean extends Geometry {
    def assigner(centroids: Array[Float], count: Int, dimension: Int): Assigner =
      new CentroidTable(centroids, count, dimension, byProduct = false)
  }

  /** Dot products with centroids of length 1. A longer centroid would draw vectors of other directions, until
    * one partition has most of them.
    */
  case object Spherical extends Geometry {
    def assigner(centroids: Array[Float], count: Int, dimension: Int): Assigner =
      new CentroidTable(centroids, count, dimension, byProduct = true)

    override def mean(sums: Array[Double], size: Int, from: Int, out: Array[Float], at: Int, n: Int): Unit = {
      super.mean(sums, size, from, out, at, n)
      admit(out, at, n)
    }

    /** Scales it to length 1, but for zeros. */
    override def admit(centroids: Array[Float], at: Int, n: Int): Unit = {
      val norm = math.sqrt(product(centroids, at, centroids, at, n))
      var i = 0
      while (i < n && norm > 0) { centroids(at + i) = (centroids(at + i) / norm).toFloat; i += 1 }
    }

    /** By how much the dot product is less than that with a centroid of the vector's own direction. */
    override def distance(points: Points, point: Int, centroids: Array[Float], at: Int): Float = {
      val n = points.dimension
      val from = point * n
      val norm = math.sqrt(product(points.values, from, points.values, from, n))
      math.max(0.0, norm - product(points.values, from, centroids, at, n)).toFloat
    }

    private def product(a: Array[Float], atA: Int, b: Array[Float], atB: Int, n: Int): Double = {
      var sum = 0.0
      var i = 0
      while (i < n) { sum += a(atA + i).toDouble * b(atB + i); i += 1 }
      sum
    }
  }

  /** Different bits of bytes. A mean has the bits that most vectors have. */
  case object Bits extends Geometry {
    override def sumWidth(dimension: Int): Int = 8 * dimension

    def assigner(centroids: Array[Float], count: Int, dimension: Int): Assigner =
      new BitCentroids(centroids, count, dimension)

    override def add(values: Array[Float], from: Int, sums: Array[Double], to: Int, n: Int): Unit = {
      var i = 0
      while (i < n) {
        val byte = values(from + i).toInt
        var bit = 0
        while (bit < 8) { sums(to + 8 * i + bit) += byte >> bit & 1; bit += 1 }
        i += 1
      }
    }

    override def mean(sums: Array[Double], size: Int, from: Int, out: Array[Float], at: Int, n: Int): Unit = {
      var i = 0
      while (i < n) {
        var byte = 0
        var bit = 0
        while (bit < 8) { if (2 * sums(from + 8 * i + bit) > size) byte |= 1 << bit; bit += 1 }
        out(at + i) = byte.toFloat
        i += 1
      }
    }

    override def split(
        centroids: Array[Float],
        from: Int,
        to: Int,
        n: Int,
        random: SplittableRandom
    ): Unit = {
      var i = 0
      while (i < n) {
        centroids(to + i) = (centroids(from + i).toInt ^ (1 << random.nextInt(8))).toFloat
        i += 1
      }
    }

    override def distance(points: Points, point: Int, centroids: Array[Float], at: Int): Float = {
      var bits = 0
      var i = 0
      while (i < points.dimension) {
        val other = points.values(point * points.dimension + i).toInt
        bits += Integer.bitCount(centroids(at + i).toInt ^ other)
        i += 1
      }
      bits.toFloat
    }
  }

  /** Returns the geometry of the partitions of an index. Cosine compares vectors of length 1. */
  def of(metric: Metric): Geometry = metric match {
    case Metric.L2 | Metric.Cosine => Euclidean
    case Metric.Dot => Spherical
    case Metric.Hamming => Bits
  }
}
