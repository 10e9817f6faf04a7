package io.sparklance.spark.functions

/** Distance of two vectors of equal length, as the reference's searches define it. Sums are doubles, in four
  * independent accumulators, so that additions can overlap.
  */
sealed abstract private[functions] class DistanceFormula {

  /** Returns the distance of vectors of equal length. */
  def of(a: Array[Float], b: Array[Float]): Double
  def of(a: Array[Double], b: Array[Double]): Double
}

private[functions] object DistanceFormula {

  /** The square of the Euclidean distance. */
  case object L2 extends DistanceFormula {
    def of(a: Array[Float], b: Array[Float]): Double = {
      var s0, s1, s2, s3 = 0.0
      val n = math.min(a.length, b.length)
      var i = 0
      while (i + 3 < n) {
        val d0 = a(i).toDouble - b(i)
        val d1 = a(i + 1).toDouble - b(i + 1)
        val d2 = a(i + 2).toDouble - b(i + 2)
        val d3 = a(i + 3).toDouble - b(i + 3)
        s0 += d0 * d0
        s1 += d1 * d1
        s2 += d2 * d2
        s3 += d3 * d3
        i += 4
      }
      while (i < n) { val d = a(i).toDouble - b(i); s0 += d * d; i += 1 }
      s0 + s1 + (s2 + s3)
    }

    def of(a: Array[Double], b: Array[Double]): Double = {
      var s0, s1, s2, s3 = 0.0
      val n = math.min(a.length, b.length)
      var i = 0
      while (i + 3 < n) {
        val d0 = a(i) - b(i)
        val d1 = a(i + 1) - b(i + 1)
        val d2 = a(i + 2) - b(i + 2)
        val d3 = a(i + 3) - b(i + 3)
        s0 += d0 * d0
        s1 += d1 * d1
        s2 += d2 * d2
        s3 += d3 * d3
        i += 4
      }
      while (i < n) { val d = a(i) - b(i); s0 += d * d; i += 1 }
      s0 + s1 + (s2 + s3)
    }
  }

  /** 1 minus the dot product. */
  case object Dot extends DistanceFormula {
    def of(a: Array[Float], b: Array[Float]): Double = 1 - product(a, b)
    def of(a: Array[Double], b: Array[Double]): Double = 1 - product(a, b)
  }

  /** 1 minus the cosine of the angle between them; NaN for a vector of zeros. */
  case object Cosine extends DistanceFormula {
    def of(a: Array[Float], b: Array[Float]): Double =
      1 - product(a, b) / (math.sqrt(product(a, a)) * math.sqrt(product(b, b)))
    def of(a: Array[Double], b: Array[Double]): Double =
      1 - product(a, b) / (math.sqrt(product(a, a)) * math.sqrt(product(b, b)))
  }

  private def product(a: Array[Float], b: Array[Float]): Double = {
    var s0, s1, s2, s3 = 0.0
    val n = math.min(a.length, b.length)
    var i = 0
    while (i + 3 < n) {
      s0 += a(i).toDouble * b(i)
      s1 += a(i + 1).toDouble * b(i + 1)
      s2 += a(i + 2).toDouble * b(i + 2)
      s3 += a(i + 3).toDouble * b(i + 3)
      i += 4
    }
    while (i < n) { s0 += a(i).toDouble * b(i); i += 1 }
    s0 + s1 + (s2 + s3)
  }

  private def product(a: Array[Double], b: Array[Double]): Double = {
    var s0, s1, s2, s3 = 0.0
    val n = math.min(a.length, b.length)
    var i = 0
    while (i + 3 < n) {
      s0 += a(i) * b(i)
      s1 += a(i + 1) * b(i + 1)
      s2 += a(i + 2) * b(i + 2)
      s3 += a(i + 3) * b(i + 3)
      i += 4
    }
    while (i < n) { s0 += a(i) * b(i); i += 1 }
    s0 + s1 + (s2 + s3)
  }
}
