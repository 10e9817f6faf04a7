package io.sparklance.index.vector

/** Distances of vectors in scalar quantization. For l2 and cosine the query is quantized, too. */
final private[vector] class ScalarDistances(quantizer: Quantizer.Scalar, dimension: Int) {
  private val step = ((quantizer.end - quantizer.start).toFloat / 255f)
  private val codes = new Array[Int](dimension)

  /** Computes the squared differences from a query. */
  def squared(stored: Array[Byte], rows: Int, query: Array[Float], out: Array[Float]): Unit = {
    quantize(query)
    val scale = step * step
    var row = 0
    var at = 0
    while (row < rows) {
      var sum = 0L
      var i = 0
      while (i < dimension) {
        val x = (stored(at + i) & 0xff) - codes(i)
        sum += x * x
        i += 1
      }
      out(row) = sum.toFloat * scale
      at += dimension
      row += 1
    }
  }

  /** Computes 1 minus the dot products with a query. */
  def products(stored: Array[Byte], rows: Int, query: Array[Float], out: Array[Float]): Unit = {
    val base = quantizer.start.toFloat * query.sum
    var row = 0
    var at = 0
    while (row < rows) {
      var s0, s1 = 0f
      var i = 0
      while (i + 1 < dimension) {
        s0 += (stored(at + i) & 0xff) * query(i)
        s1 += (stored(at + i + 1) & 0xff) * query(i + 1)
        i += 2
      }
      if (i < dimension) s0 += (stored(at + i) & 0xff) * query(i)
      out(row) = 1f - (base + step * (s0 + s1))
      at += dimension
      row += 1
    }
  }

  private def quantize(query: Array[Float]): Unit = {
    val range = quantizer.end - quantizer.start
    var i = 0
    while (i < dimension) {
      val scaled = if (range == 0) 0.0 else (query(i) - quantizer.start) * 255.0 / range
      codes(i) = math.max(0.0, math.min(255.0, scaled)).toInt
      i += 1
    }
  }
}
