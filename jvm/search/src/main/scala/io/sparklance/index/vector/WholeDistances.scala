package io.sparklance.index.vector

import io.sparklance.index.vector.graph.NodeDistances
import io.sparklance.vector.{Metric, RowKernels}

/** Distances of whole vectors from a query, one at a time. */
private[vector] object WholeDistances {

  def ofFloats(vectors: Array[Float], query: Array[Float], metric: Metric): NodeDistances = {
    val d = query.length
    metric match {
      case Metric.L2 => node => RowKernels.squaredDifference(vectors, node * d, query)
      case Metric.Dot => node => 1f - RowKernels.product(vectors, node * d, query)
      case Metric.Cosine =>
        val norm = RowKernels.norm(query, 0, d)
        node =>
          1f - RowKernels.product(vectors, node * d, query) / RowKernels.norm(vectors, node * d, d) / norm
      case Metric.Hamming => throw new IllegalStateException("bits of floats")
    }
  }

  def ofDoubles(vectors: Array[Double], query: Array[Double], metric: Metric): NodeDistances = {
    val d = query.length
    metric match {
      case Metric.L2 => node => RowKernels.squaredDifference(vectors, node * d, query).toFloat
      case Metric.Dot => node => (1 - RowKernels.product(vectors, node * d, query)).toFloat
      case Metric.Cosine =>
        val norm = RowKernels.norm(query, 0, d)
        node =>
          (1 - RowKernels.product(vectors, node * d, query) /
            (RowKernels.norm(vectors, node * d, d) * norm)).toFloat
      case Metric.Hamming => throw new IllegalStateException("bits of doubles")
    }
  }

  def ofBits(vectors: Array[Byte], query: Array[Byte]): NodeDistances = {
    val d = query.length
    node => RowKernels.differentBits(vectors, node * d, query).toFloat
  }
}
