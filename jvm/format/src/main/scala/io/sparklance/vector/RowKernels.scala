package io.sparklance.vector

import io.sparklance.data.LittleEndian

/** Sums over the items of single vectors, which lie one after the other in an array. Independent sums let a
  * core add several items at once.
  */
private[sparklance] object RowKernels {

  /** Returns the sum of squared differences of the vector at `at` from a query. */
  def squaredDifference(vectors: Array[Float], at: Int, query: Array[Float]): Float = {
    var s0, s1, s2, s3 = 0f
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

  /** Returns the dot product of the vector at `at` and a query. */
  def product(vectors: Array[Float], at: Int, query: Array[Float]): Float = {
    var s0, s1, s2, s3 = 0f
    val d = query.length
    var i = 0
    while (i + 3 < d) {
      s0 += vectors(at + i) * query(i)
      s1 += vectors(at + i + 1) * query(i + 1)
      s2 += vectors(at + i + 2) * query(i + 2)
      s3 += vectors(at + i + 3) * query(i + 3)
      i += 4
    }
    while (i < d) { s0 += vectors(at + i) * query(i); i += 1 }
    s0 + s1 + (s2 + s3)
  }

  /** Returns the sum of squared differences of `n` items of two arrays, added as [[FloatKernels]] does. */
  def partialDifference(a: Array[Float], from: Int, b: Array[Float], start: Int, n: Int): Float = {
    var sum = 0f
    var i = 0
    while (i + 3 < n) {
      val x0 = a(from + i) - b(start + i)
      val x1 = a(from + i + 1) - b(start + i + 1)
      val x2 = a(from + i + 2) - b(start + i + 2)
      val x3 = a(from + i + 3) - b(start + i + 3)
      sum = sum + (x0 * x0 + x1 * x1) + (x2 * x2 + x3 * x3)
      i += 4
    }
    while (i < n) { val x = a(from + i) - b(start + i); sum = sum + x * x; i += 1 }
    sum
  }

  /** Returns the dot product of `n` items of two arrays, added as [[FloatKernels]] does. */
  def partialProduct(a: Array[Float], from: Int, b: Array[Float], start: Int, n: Int): Float = {
    var sum = 0f
    var i = 0
    while (i + 3 < n) {
      sum = sum + (a(from + i) * b(start + i) + a(from + i + 1) * b(start + i + 1)) +
        (a(from + i + 2) * b(start + i + 2) + a(from + i + 3) * b(start + i + 3))
      i += 4
    }
    while (i < n) { sum = sum + a(from + i) * b(start + i); i += 1 }
    sum
  }

  /** Returns the norm of the vector of `n` items at `at`. */
  def norm(vectors: Array[Float], at: Int, n: Int): Float = {
    var s0, s1 = 0f
    var i = 0
    while (i + 1 < n) {
      s0 += vectors(at + i) * vectors(at + i)
      s1 += vectors(at + i + 1) * vectors(at + i + 1)
      i += 2
    }
    if (i < n) s0 += vectors(at + i) * vectors(at + i)
    math.sqrt((s0 + s1).toDouble).toFloat
  }

  def squaredDifference(vectors: Array[Double], at: Int, query: Array[Double]): Double =
    DoubleKernels.squaredDifference(vectors, at, query)

  def product(vectors: Array[Double], at: Int, query: Array[Double]): Double =
    DoubleKernels.product(vectors, at, query, 0, query.length)

  def norm(vectors: Array[Double], at: Int, n: Int): Double = DoubleKernels.norm(vectors, at, n)

  /** Returns the number of different bits of the vector at `at` and a query. */
  def differentBits(vectors: Array[Byte], at: Int, query: Array[Byte]): Int = {
    val d = query.length
    var bits = 0
    var i = 0
    while (i + 7 < d) {
      bits += java.lang.Long.bitCount(LittleEndian.long(vectors, at + i) ^ LittleEndian.long(query, i))
      i += 8
    }
    while (i < d) {
      bits += Integer.bitCount((vectors(at + i) ^ query(i)) & 0xff)
      i += 1
    }
    bits
  }

  /** Returns the sum of squared differences of the unsigned bytes at `at` from codes. */
  def squaredDifference(bytes: Array[Byte], at: Int, codes: Array[Int]): Long = {
    var s0, s1, s2, s3 = 0
    val d = codes.length
    var i = 0
    while (i + 3 < d) {
      val x0 = (bytes(at + i) & 0xff) - codes(i)
      val x1 = (bytes(at + i + 1) & 0xff) - codes(i + 1)
      val x2 = (bytes(at + i + 2) & 0xff) - codes(i + 2)
      val x3 = (bytes(at + i + 3) & 0xff) - codes(i + 3)
      s0 += x0 * x0
      s1 += x1 * x1
      s2 += x2 * x2
      s3 += x3 * x3
      i += 4
    }
    while (i < d) { val x = (bytes(at + i) & 0xff) - codes(i); s0 += x * x; i += 1 }
    s0.toLong + s1 + (s2.toLong + s3)
  }

  /** Returns the dot product of the unsigned bytes at `at` and a query. */
  def product(bytes: Array[Byte], at: Int, query: Array[Float]): Float = {
    var s0, s1 = 0f
    val d = query.length
    var i = 0
    while (i + 1 < d) {
      s0 += (bytes(at + i) & 0xff) * query(i)
      s1 += (bytes(at + i + 1) & 0xff) * query(i + 1)
      i += 2
    }
    if (i < d) s0 += (bytes(at + i) & 0xff) * query(i)
    s0 + s1
  }
}
