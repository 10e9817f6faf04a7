package io.sparklance.index.vector

/** Distances of vectors in product quantization: sums of the distances of a query's parts from the entries of
  * the codebook, which a table has.
  */
final private[vector] class ProductDistances(quantizer: Quantizer.Product, dimension: Int) {
  private val entries = quantizer.entries
  private val size = dimension / quantizer.parts
  private val table = new Array[Float](quantizer.parts * entries)

  /** Fills the table for a query, or for its difference from a centroid. */
  def prepare(query: Array[Float], isDot: Boolean): Unit = {
    val codebook = quantizer.codebook
    var part = 0
    var entry = 0
    while (part < quantizer.parts) {
      val from = part * size
      var i = 0
      while (i < entries) {
        val at = entry * size
        var sum = 0f
        var j = 0
        if (isDot) while (j < size) { sum += query(from + j) * codebook(at + j); j += 1 }
        else while (j < size) { val x = query(from + j) - codebook(at + j); sum += x * x; j += 1 }
        table(entry) = if (isDot) 1f - sum else sum
        entry += 1
        i += 1
      }
      part += 1
    }
  }

  /** Computes the distances of all rows of a partition.
    *
    * @param isDot
    *   whether the table has one summand of 1 for each part
    */
  def distances(codes: Array[Byte], rows: Int, isDot: Boolean, out: Array[Float]): Unit = {
    java.util.Arrays.fill(out, 0, rows, 0f)
    if (quantizer.bits == 8) addBytes(codes, rows, out) else addNibbles(codes, rows, out)
    if (isDot) {
      val excess = (quantizer.parts - 1).toFloat
      var i = 0
      while (i < rows) { out(i) -= excess; i += 1 }
    }
  }

  private def addBytes(codes: Array[Byte], rows: Int, out: Array[Float]): Unit = {
    val width = quantizer.width
    var part = 0
    while (part < width) {
      val base = part * entries
      var at = if (quantizer.isTransposed) part * rows else part
      val step = if (quantizer.isTransposed) 1 else width
      var i = 0
      while (i < rows) {
        out(i) += table(base + (codes(at) & 0xff))
        at += step
        i += 1
      }
      part += 1
    }
  }

  /** Adds codes of four bits: the lower half of a byte belongs to the earlier part. */
  private def addNibbles(codes: Array[Byte], rows: Int, out: Array[Float]): Unit = {
    val width = quantizer.width
    var pair = 0
    while (pair < width) {
      val low = 2 * pair * entries
      val high = low + entries
      var at = if (quantizer.isTransposed) pair * rows else pair
      val step = if (quantizer.isTransposed) 1 else width
      var i = 0
      while (i < rows) {
        val code = codes(at) & 0xff
        out(i) += table(low + (code & 15)) + table(high + (code >>> 4))
        at += step
        i += 1
      }
      pair += 1
    }
  }
}
