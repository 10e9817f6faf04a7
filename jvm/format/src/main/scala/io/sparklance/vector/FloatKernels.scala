package io.sparklance.vector

/** Sums over the items of many vectors, of which an array has the first items, another the second ones, and
  * so on.
  * {{{
  * vectors(0)  a0 b0 c0 …
  * vectors(1)  a1 b1 c1 …
  * }}}
  * C2 does not vectorise a sum of floats, whose order counts. Here each vector has a sum of its own, and the
  * inner loop runs over vectors, so neighbouring sums become lanes of a register. It takes four items of each
  * vector, so that sums are loaded and stored once for four. C2 needs three things for that: no two slices of
  * one array, no tuples around, and the old sum as the first summand.
  */
private[sparklance] object FloatKernels {

  /** Computes the sums of squared differences from a query. */
  def squaredDifferences(
      vectors: Array[Array[Float]],
      rows: Int,
      query: Array[Float],
      out: Array[Float]
  ): Unit = {
    java.util.Arrays.fill(out, 0, rows, 0f)
    val d = query.length
    var i = 0
    while (i + 3 < d) {
      addSquares(vectors, i, rows, query, out)
      i += 4
    }
    while (i < d) { addSquare(vectors(i), rows, query(i), out); i += 1 }
  }

  private def addSquares(
      vectors: Array[Array[Float]],
      item: Int,
      rows: Int,
      query: Array[Float],
      out: Array[Float]
  ): Unit = {
    val q0 = query(item)
    val q1 = query(item + 1)
    val q2 = query(item + 2)
    val q3 = query(item + 3)
    val a = vectors(item)
    val b = vectors(item + 1)
    val c = vectors(item + 2)
    val d = vectors(item + 3)
    var row = 0
    while (row < rows) {
      val x0 = a(row) - q0
      val x1 = b(row) - q1
      val x2 = c(row) - q2
      val x3 = d(row) - q3
      out(row) = out(row) + (x0 * x0 + x1 * x1) + (x2 * x2 + x3 * x3)
      row += 1
    }
  }

  private def addSquare(items: Array[Float], rows: Int, q: Float, out: Array[Float]): Unit = {
    var row = 0
    while (row < rows) {
      val x = items(row) - q
      out(row) = out(row) + x * x
      row += 1
    }
  }

  /** Computes the dot products with a query. */
  def products(vectors: Array[Array[Float]], rows: Int, query: Array[Float], out: Array[Float]): Unit = {
    java.util.Arrays.fill(out, 0, rows, 0f)
    val d = query.length
    var i = 0
    while (i + 3 < d) {
      addProducts(vectors, i, rows, query, out)
      i += 4
    }
    while (i < d) { addProduct(vectors(i), rows, query(i), out); i += 1 }
  }

  /** Adds the dot products of items `[from, until)` with those of a query. */
  def addProducts(
      vectors: Array[Array[Float]],
      from: Int,
      until: Int,
      rows: Int,
      query: Array[Float],
      out: Array[Float]
  ): Unit = {
    var i = from
    while (i + 3 < until) {
      addProducts(vectors, i, rows, query, out)
      i += 4
    }
    while (i < until) { addProduct(vectors(i), rows, query(i), out); i += 1 }
  }

  private def addProducts(
      vectors: Array[Array[Float]],
      item: Int,
      rows: Int,
      query: Array[Float],
      out: Array[Float]
  ): Unit = {
    val q0 = query(item)
    val q1 = query(item + 1)
    val q2 = query(item + 2)
    val q3 = query(item + 3)
    val a = vectors(item)
    val b = vectors(item + 1)
    val c = vectors(item + 2)
    val d = vectors(item + 3)
    var row = 0
    while (row < rows) {
      out(row) = out(row) + (a(row) * q0 + b(row) * q1) + (c(row) * q2 + d(row) * q3)
      row += 1
    }
  }

  private def addProduct(items: Array[Float], rows: Int, q: Float, out: Array[Float]): Unit = {
    var row = 0
    while (row < rows) { out(row) = out(row) + items(row) * q; row += 1 }
  }

  /** Computes the norm of each vector. */
  def norms(vectors: Array[Array[Float]], rows: Int, zeros: Array[Float], out: Array[Float]): Unit = {
    squaredDifferences(vectors, rows, zeros, out)
    var row = 0
    while (row < rows) { out(row) = math.sqrt(out(row).toDouble).toFloat; row += 1 }
  }

  /** Returns the norm of a vector. */
  def norm(vector: Array[Float]): Float = {
    var sum = 0f
    var i = 0
    while (i < vector.length) { sum += vector(i) * vector(i); i += 1 }
    math.sqrt(sum.toDouble).toFloat
  }

  /** Number of vectors that [[spread]] takes. */
  final val Together = 8

  /** Puts the items of eight vectors, which lie one after the other, to the arrays of the items. */
  def spread(eight: Array[Float], vectors: Array[Array[Float]], row: Int): Unit = {
    val d = vectors.length
    var i = 0
    while (i < d) {
      val items = vectors(i)
      items(row) = eight(i)
      items(row + 1) = eight(d + i)
      items(row + 2) = eight(2 * d + i)
      items(row + 3) = eight(3 * d + i)
      items(row + 4) = eight(4 * d + i)
      items(row + 5) = eight(5 * d + i)
      items(row + 6) = eight(6 * d + i)
      items(row + 7) = eight(7 * d + i)
      i += 1
    }
  }

  /** Does the same with the bits of floats. */
  def spreadBits(bits: Array[Int], from: Int, vectors: Array[Array[Float]], row: Int): Unit = {
    val d = vectors.length
    var at = from
    val end = from + d
    var i = 0
    while (at < end) {
      val items = vectors(i)
      items(row) = java.lang.Float.intBitsToFloat(bits(at))
      items(row + 1) = java.lang.Float.intBitsToFloat(bits(at + d))
      items(row + 2) = java.lang.Float.intBitsToFloat(bits(at + 2 * d))
      items(row + 3) = java.lang.Float.intBitsToFloat(bits(at + 3 * d))
      items(row + 4) = java.lang.Float.intBitsToFloat(bits(at + 4 * d))
      items(row + 5) = java.lang.Float.intBitsToFloat(bits(at + 5 * d))
      items(row + 6) = java.lang.Float.intBitsToFloat(bits(at + 6 * d))
      items(row + 7) = java.lang.Float.intBitsToFloat(bits(at + 7 * d))
      at += 1
      i += 1
    }
  }
}
