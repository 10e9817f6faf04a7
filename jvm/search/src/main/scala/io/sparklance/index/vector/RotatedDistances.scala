package io.sparklance.index.vector

import io.sparklance.vector.{Metric, RowKernels}

/** Estimates distances from codes of rotated vectors. With the rotated query Q, the sum S of its items, and
  * the sum B of those with a set sign:
  * {{{
  * signs only   (B − S / 2) · scale + a · (added − o) + f
  * with sizes   (2^e · B + Σ Q · size − (2^e − 1/2) · S) · scale + a · (added − o) + f
  * l2, cosine   a = 1, o = 0, f = squared distance of the query from the centroid
  * dot          a = (Q · c) / (c · c), o = 1, f = 1 − Q · c with the rotated centroid c
  * }}}
  */
final private[vector] class RotatedDistances(model: VectorIndex, quantizer: Quantizer.Rotated) {
  private val dimension = model.dimension
  private val width = quantizer.signWidth
  private val table = new Array[Float](width << 8)

  /** Computes the distances of all rows of a partition. */
  def distances(partition: Int, query: Array[Float], data: RotatedPartition, out: Array[Float]): Unit = {
    val rotated = quantizer.rotation(query)
    prepare(rotated)
    java.util.Arrays.fill(out, 0, data.rows, 0f)
    addSigns(data.signs, data.rows, out)
    val sum = rotated.sum
    if (quantizer.extra == 0) finish(data, out, sum / 2, terms(partition, query, rotated))
    else {
      val unit = (1 << quantizer.extra).toFloat
      scaleBy(unit, data.rows, out)
      addSizes(data.sizes, data.rows, rotated, out)
      finish(data, out, (unit - 0.5f) * sum, terms(partition, query, rotated))
    }
  }

  /** Sums of the items of which a byte has the bits, for each byte of a code. */
  private def prepare(rotated: Array[Float]): Unit = {
    var b = 0
    while (b < width) {
      val base = b << 8
      table(base) = 0f
      var code = 1
      while (code < 256) {
        val bit = Integer.numberOfTrailingZeros(code)
        table(base + code) = table(base + (code & (code - 1))) + rotated(8 * b + bit)
        code += 1
      }
      b += 1
    }
  }

  private def addSigns(signs: Array[Byte], rows: Int, out: Array[Float]): Unit = {
    var b = 0
    while (b < width) {
      val (base, at) = (b << 8, b * rows)
      var i = 0
      while (i < rows) { out(i) += table(base + (signs(at + i) & 0xff)); i += 1 }
      b += 1
    }
  }

  private def scaleBy(factor: Float, rows: Int, out: Array[Float]): Unit = {
    var i = 0
    while (i < rows) { out(i) *= factor; i += 1 }
  }

  private def addSizes(sizes: Array[Byte], rows: Int, rotated: Array[Float], out: Array[Float]): Unit = {
    var row = 0
    while (row < rows) {
      out(row) += RowKernels.product(sizes, row * dimension, rotated)
      row += 1
    }
  }

  private def finish(
      data: RotatedPartition,
      out: Array[Float],
      middle: Float,
      terms: RotatedDistances.Terms
  ): Unit = {
    var i = 0
    while (i < data.rows) {
      out(i) = (out(i) - middle) * data.scales(i) + terms.share * (data.added(i) - terms.excess) + terms.base
      i += 1
    }
  }

  private def terms(partition: Int, query: Array[Float], rotated: Array[Float]): RotatedDistances.Terms = {
    val from = partition * dimension
    if (model.metric == Metric.Dot) {
      val centroid = quantizer.rotation(java.util.Arrays.copyOfRange(model.centroids, from, from + dimension))
      val product = RowKernels.product(rotated, 0, centroid)
      val share = product / RowKernels.product(centroid, 0, centroid)
      RotatedDistances.Terms(if (share.isNaN || share.isInfinite) 0f else share, 1f, 1f - product)
    } else RotatedDistances.Terms(1f, 0f, RowKernels.squaredDifference(model.centroids, from, query))
  }
}

private object RotatedDistances {

  /** @param share
    *   a
    * @param excess
    *   o
    * @param base
    *   f
    */
  final private[vector] case class Terms(share: Float, excess: Float, base: Float)
}
