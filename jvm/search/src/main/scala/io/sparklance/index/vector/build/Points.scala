package io.sparklance.index.vector.build

/** Vectors of one length in an array, one after the other. */
final private[build] case class Points(values: Array[Float], dimension: Int) {
  def count: Int = values.length / dimension

  /** Returns `n` of them, from all over the array. */
  def spread(n: Int): Points =
    if (n >= count) this
    else {
      val out = new Array[Float](n * dimension)
      var i = 0
      while (i < n) {
        val from = (i.toLong * count / n).toInt
        System.arraycopy(values, from * dimension, out, i * dimension, dimension)
        i += 1
      }
      Points(out, dimension)
    }

  /** Returns the numbers `[from, from + size)` of each. */
  def part(from: Int, size: Int): Points = {
    val out = new Array[Float](count * size)
    var i = 0
    while (i < count) {
      System.arraycopy(values, i * dimension + from, out, i * size, size)
      i += 1
    }
    Points(out, size)
  }

  /** Returns the ones of these numbers. */
  def at(numbers: Array[Int]): Points = {
    val out = new Array[Float](numbers.length * dimension)
    var i = 0
    while (i < numbers.length) {
      System.arraycopy(values, numbers(i) * dimension, out, i * dimension, dimension)
      i += 1
    }
    Points(out, dimension)
  }

  /** Squared distance of a point from a vector of another array. */
  def squaredDistance(point: Int, other: Array[Float], at: Int): Float = {
    val from = point * dimension
    var s0, s1 = 0f
    var i = 0
    while (i + 1 < dimension) {
      val x0 = values(from + i) - other(at + i)
      val x1 = values(from + i + 1) - other(at + i + 1)
      s0 += x0 * x0
      s1 += x1 * x1
      i += 2
    }
    if (i < dimension) { val x = values(from + i) - other(at + i); s0 += x * x }
    s0 + s1
  }
}
