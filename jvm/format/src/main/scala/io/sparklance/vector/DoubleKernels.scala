package io.sparklance.vector

/** Sums over the items of vectors of doubles, with independent accumulators: see [[FloatKernels]]. */
private[vector] object DoubleKernels {

  /** Returns the sum of squared differences of the vector at `at` from a query. */
  def squaredDifference(vectors: Array[Double], at: Int, query: Array[Double]): Double = {
    var s0, s1, s2, s3 = 0.0
    val d = query.length
    var i = 0
    while (i + 3 < d) {
      val x0 = vectors(at + i) - query(i)
      val x1 = vectors(at + i + 1) - query(i + 1)
      val x2 = vectors(at + i + 2) - query(i + 2)
      val x3 = vectors(at + i + 3) - query(i + 3)
      s0 += x0 * x0
      s1 += x1 * x1
      s2 += x2 * x2
      s3 += x3 * x3
      i += 4
    }
    while (i < d) { val x = vectors(at + i) - query(i); s0 += x * x; i += 1 }
    s0 + s1 + (s2 + s3)
  }

  /** Returns the dot product of `n` items from `from` in one array and `start` in the other. */
  def product(a: Array[Double], from: Int, b: Array[Double], start: Int, n: Int): Double = {
    var s0, s1, s2, s3 = 0.0
    var i = 0
    while (i + 3 < n) {
      s0 += a(from + i) * b(start + i)
      s1 += a(from + i + 1) * b(start + i + 1)
      s2 += a(from + i + 2) * b(start + i + 2)
      s3 += a(from + i + 3) * b(start + i + 3)
      i += 4
    }
    while (i < n) { s0 += a(from + i) * b(start + i); i += 1 }
    s0 + s1 + (s2 + s3)
  }

  /** Returns the norm of the vector of `n` items at `at`. */
  def norm(vectors: Array[Double], at: Int, n: Int): Double = math.sqrt(product(vectors, at, vectors, at, n))
}
