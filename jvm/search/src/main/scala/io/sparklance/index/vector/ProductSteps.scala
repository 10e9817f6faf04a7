package io.sparklance.index.vector

import io.sparklance.vector.{FloatKernels, Metric}

/** Divides distances in product quantization into summands of the query and of the row:
  * {{{
  * l2, cosine   |q − c − e|² = |q − c|² + Σ (|e|² + 2 c·e) + Σ −2 q·e      c centroid, e entries that the codes name
  * dot          1 − q·e      = 1                           + Σ −q·e
  * }}}
  * The mean of the centroids is taken from `q` and `c` first, because distant vectors would lose the digits
  * in which they differ. Belongs to one thread.
  */
final private[vector] class ProductSteps(model: VectorIndex, quantizer: Quantizer.Product) {
  private val isDot = model.metric == Metric.Dot
  private val factor = if (isDot) -1f else -2f
  private val (parts, entries) = (quantizer.parts, quantizer.entries)
  private val size = model.dimension / parts
  private val middle = if (isDot) new Array[Float](model.dimension) else ProductSteps.mean(model)
  private val own = new Array[Float](size)
  private val table = new Array[Float](parts * entries)
  private val scores = new Array[Float](entries)
  private val squares = Array.tabulate(parts) { part =>
    val out = new Array[Float](entries)
    FloatKernels.squaredDifferences(quantizer.items(part), entries, new Array[Float](size), out)
    out
  }

  /** Norm of the longest entry of each part. */
  private val longest = squares.map(part => math.sqrt(part.iterator.map(_.toDouble).max))

  /** Returns the summands of a query in whole steps; None if they have no finite range. */
  def ofQuery(query: Array[Float]): Option[QuerySteps] = {
    val shifted = Array.tabulate(query.length)(i => query(i) - middle(i))
    val reaches = Array.tabulate(parts) { part =>
      var square = 0.0
      var i = part * size
      while (i < (part + 1) * size) { square += shifted(i).toDouble * shifted(i); i += 1 }
      math.abs(factor) * math.sqrt(square) * longest(part)
    }
    val range = 2 * reaches.sum
    Option.when(range > ProductSteps.LeastRange && range < ProductSteps.MostRange) {
      val exponent = Math.getExponent(ProductSteps.Steps / range)
      multiply(shifted)
      val values = new Array[Long](quantizer.width * ProductSteps.Values)
      if (quantizer.bits == 8) putBytes(reaches, Math.scalb(1f, exponent), values)
      else putNibbles(reaches, Math.scalb(1f, exponent), values)
      new QuerySteps(values, exponent, range)
    }
  }

  private def putBytes(reaches: Array[Double], scale: Float, values: Array[Long]): Unit = {
    var at = 0
    while (at < values.length) {
      val reach = reaches(at / entries).toFloat
      val end = at + entries
      while (at < end) { values(at) = ((table(at) * factor + reach) * scale).toLong; at += 1 }
    }
  }

  /** Puts the sums of two parts for each byte with their codes. */
  private def putNibbles(reaches: Array[Double], scale: Float, values: Array[Long]): Unit = {
    var at = 0
    while (at < values.length) {
      val (pair, byte) = (at / ProductSteps.Values, at % ProductSteps.Values)
      val reach = (reaches(2 * pair) + reaches(2 * pair + 1)).toFloat
      val sum = table(2 * pair * entries + (byte & 15)) + table((2 * pair + 1) * entries + (byte >>> 4))
      values(at) = ((sum * factor + reach) * scale).toLong
      at += 1
    }
  }

  /** Computes the summands of rows; zeros for dot.
    *
    * @param distances
    *   takes the table of the summands
    */
  def ofRows(
      partition: Int,
      codes: Array[Byte],
      rows: Int,
      distances: ProductDistances,
      out: Array[Float]
  ): Unit =
    if (isDot) java.util.Arrays.fill(out, 0, rows, 0f)
    else {
      val from = partition * model.dimension
      multiply(Array.tabulate(model.dimension)(i => model.centroids(from + i) - middle(i)))
      var part = 0
      while (part < parts) {
        val of = squares(part)
        var i = 0
        while (i < entries) { table(part * entries + i) = of(i) + 2f * table(part * entries + i); i += 1 }
        part += 1
      }
      distances.sum(table, codes, rows, out)
    }

  /** Fills the table with the products of a vector and the entries. */
  private def multiply(vector: Array[Float]): Unit = {
    var part = 0
    while (part < parts) {
      System.arraycopy(vector, part * size, own, 0, size)
      FloatKernels.products(quantizer.items(part), entries, own, scores)
      System.arraycopy(scores, 0, table, part * entries, entries)
      part += 1
    }
  }
}

/** Summands of a query for each byte of a code, rounded down to whole steps, none below 0.
  *
  * @param exponent
  *   steps are of the size 2 to the power of `-exponent`
  * @param range
  *   by how much sums of summands may differ; half of it was added to make them positive
  */
final private[vector] class QuerySteps(val values: Array[Long], val exponent: Int, val range: Double)

private[vector] object ProductSteps {

  /** Values of a byte of a code. */
  final val Values = 256

  /** Most steps of the summands of a query. */
  final val Steps = 16384.0

  final private val LeastRange = 1e-30
  final private val MostRange = 1e30

  private def mean(model: VectorIndex): Array[Float] = {
    val sums = new Array[Double](model.dimension)
    var i = 0
    while (i < model.centroids.length) { sums(i % model.dimension) += model.centroids(i); i += 1 }
    sums.map(sum => (sum / model.partitions.count).toFloat)
  }
}
