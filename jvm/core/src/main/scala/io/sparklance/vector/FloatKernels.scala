package io.sparklance.vector

/** Sums over the items of many vectors, which lie one after the other in an array.
  *
  * Each loop reads four vectors at once and has eight independent sums, so additions overlap and an item of
  * the query is read once for four vectors. C2 does not vectorise sums of floats, whose order counts.
  */
private[vector] object FloatKernels {

  /** Computes the sums of squared differences from a query. */
  def squaredDifferences(
      vectors: Array[Float],
      rows: Int,
      query: Array[Float],
      out: Array[Float]
  ): Unit = {
    val d = query.length
    var row = 0
    while (row + 3 < rows) {
      val a = row * d
      val b = a + d
      val c = b + d
      val e = c + d
      var a0, a1, b0, b1, c0, c1, e0, e1 = 0f
      var i = 0
      while (i + 1 < d) {
        val q0 = query(i)
        val q1 = query(i + 1)
        val xa0 = vectors(a + i) - q0
        val xa1 = vectors(a + i + 1) - q1
        val xb0 = vectors(b + i) - q0
        val xb1 = vectors(b + i + 1) - q1
        val xc0 = vectors(c + i) - q0
        val xc1 = vectors(c + i + 1) - q1
        val xe0 = vectors(e + i) - q0
        val xe1 = vectors(e + i + 1) - q1
        a0 += xa0 * xa0
        a1 += xa1 * xa1
        b0 += xb0 * xb0
        b1 += xb1 * xb1
        c0 += xc0 * xc0
        c1 += xc1 * xc1
        e0 += xe0 * xe0
        e1 += xe1 * xe1
        i += 2
      }
      if (i < d) {
        val q = query(i)
        a0 += (vectors(a + i) - q) * (vectors(a + i) - q)
        b0 += (vectors(b + i) - q) * (vectors(b + i) - q)
        c0 += (vectors(c + i) - q) * (vectors(c + i) - q)
        e0 += (vectors(e + i) - q) * (vectors(e + i) - q)
      }
      out(row) = a0 + a1
      out(row + 1) = b0 + b1
      out(row + 2) = c0 + c1
      out(row + 3) = e0 + e1
      row += 4
    }
    while (row < rows) { out(row) = squaredDifference(vectors, row * d, query); row += 1 }
  }

  /** Computes the dot products with a query. */
  def products(vectors: Array[Float], rows: Int, query: Array[Float], out: Array[Float]): Unit = {
    val d = query.length
    var row = 0
    while (row + 3 < rows) {
      val a = row * d
      val b = a + d
      val c = b + d
      val e = c + d
      var a0, a1, b0, b1, c0, c1, e0, e1 = 0f
      var i = 0
      while (i + 1 < d) {
        val q0 = query(i)
        val q1 = query(i + 1)
        a0 += vectors(a + i) * q0
        a1 += vectors(a + i + 1) * q1
        b0 += vectors(b + i) * q0
        b1 += vectors(b + i + 1) * q1
        c0 += vectors(c + i) * q0
        c1 += vectors(c + i + 1) * q1
        e0 += vectors(e + i) * q0
        e1 += vectors(e + i + 1) * q1
        i += 2
      }
      if (i < d) {
        val q = query(i)
        a0 += vectors(a + i) * q
        b0 += vectors(b + i) * q
        c0 += vectors(c + i) * q
        e0 += vectors(e + i) * q
      }
      out(row) = a0 + a1
      out(row + 1) = b0 + b1
      out(row + 2) = c0 + c1
      out(row + 3) = e0 + e1
      row += 4
    }
    while (row < rows) { out(row) = product(vectors, row * d, query, 0, d); row += 1 }
  }

  /** Computes the norm of each vector. */
  def norms(vectors: Array[Float], rows: Int, dimension: Int, out: Array[Float]): Unit = {
    var row = 0
    while (row < rows) {
      val at = row * dimension
      out(row) = math.sqrt(product(vectors, at, vectors, at, dimension).toDouble).toFloat
      row += 1
    }
  }

  /** Returns the norm of a vector. */
  def norm(vector: Array[Float]): Float =
    math.sqrt(product(vector, 0, vector, 0, vector.length).toDouble).toFloat

  private def squaredDifference(vectors: Array[Float], at: Int, query: Array[Float]): Float = {
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

  private def product(a: Array[Float], from: Int, b: Array[Float], start: Int, n: Int): Float = {
    var s0, s1, s2, s3, s4, s5, s6, s7 = 0f
    var i = 0
    while (i + 7 < n) {
      s0 += a(from + i) * b(start + i)
      s1 += a(from + i + 1) * b(start + i + 1)
      s2 += a(from + i + 2) * b(start + i + 2)
      s3 += a(from + i + 3) * b(start + i + 3)
      s4 += a(from + i + 4) * b(start + i + 4)
      s5 += a(from + i + 5) * b(start + i + 5)
      s6 += a(from + i + 6) * b(start + i + 6)
      s7 += a(from + i + 7) * b(start + i + 7)
      i += 8
    }
    while (i < n) { s0 += a(from + i) * b(start + i); i += 1 }
    s0 + s1 + (s2 + s3) + (s4 + s5 + (s6 + s7))
  }
}
