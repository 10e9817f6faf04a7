package io.sparklance.index.vector

import io.sparklance.index.vector.graph.NodeDistances
import io.sparklance.vector.RowKernels

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
      out(row) = RowKernels.squaredDifference(stored, at, codes).toFloat * scale
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
      out(row) = 1f - (base + step * RowKernels.product(stored, at, query))
      at += dimension
      row += 1
    }
  }

  /** Returns the distances of vectors one by one, until another query is given. */
  def each(stored: Array[Byte], query: Array[Float], isDot: Boolean): NodeDistances =
    if (isDot) {
      val base = quantizer.start.toFloat * query.sum
      node => 1f - (base + step * RowKernels.product(stored, node * dimension, query))
    } else {
      quantize(query)
      val scale = step * step
      node => RowKernels.squaredDifference(stored, node * dimension, codes).toFloat * scale
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
