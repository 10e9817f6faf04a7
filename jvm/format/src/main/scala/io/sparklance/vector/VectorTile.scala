package io.sparklance.vector

import io.sparklance.data.{DataBlock, Fixed64Block, Fixed8Block}

/** Some vectors of a batch in an array that the caches of a core hold, and their distances from the vectors
  * of queries. Belongs to one thread.
  *
  * @param capacity
  *   number of vectors that it holds
  */
sealed abstract private[sparklance] class VectorTile(val capacity: Int) {

  /** Copies vectors `[first, first + count)` of a block with their items. */
  def load(items: DataBlock, first: Int, count: Int): Unit

  /** Computes the distances of the loaded vectors from a query vector; NaN where there is none.
    *
    * @param query
    *   its number
    */
  def distances(query: Int, out: Array[Float]): Unit
}

private[sparklance] object VectorTile {

  /** Bytes of a tile: a part of a core's second cache. */
  final private val Bytes = 1 << 18

  /** @param queries fitted to the column */
  def of(column: VectorColumn, metric: Metric, queries: Vector[Array[Double]]): VectorTile = {
    val capacity = math.max(1L, Bytes / math.max(1L, column.width)).toInt
    require(column.item.metrics.contains(metric), s"${metric.name} of vectors of ${column.item.name}")
    column.item match {
      case VectorItem.Float16 | VectorItem.BFloat16 | VectorItem.Float32 | VectorItem.Int8 =>
        val floats = queries.map(_.map(_.toFloat)).toArray
        new FloatTile(column.dimension, capacity, metric, floats, FloatItems.of(column.item))
      case VectorItem.Float64 => new DoubleTile(column.dimension, capacity, metric, queries.toArray)
      case VectorItem.UInt8 =>
        new BitTile(column.dimension, capacity, queries.map(_.map(_.toInt.toByte)).toArray)
    }
  }
}

final private class FloatTile(
    dimension: Int,
    capacity: Int,
    metric: Metric,
    queries: Array[Array[Float]],
    items: FloatItems
) extends VectorTile(capacity) {
  private val spread = new SpreadVectors(dimension, capacity, items)
  private val vectors = spread.items
  private val zeros = new Array[Float](dimension)
  private val norms = if (metric == Metric.Cosine) new Array[Float](capacity) else Array.emptyFloatArray
  private val queryNorms = queries.map(FloatKernels.norm)
  private var count = 0

  def load(from: DataBlock, first: Int, rows: Int): Unit = {
    spread.load(from, first, rows)
    if (metric == Metric.Cosine) FloatKernels.norms(vectors, rows, zeros, norms)
    count = rows
  }

  def distances(query: Int, out: Array[Float]): Unit = metric match {
    case Metric.L2 => FloatKernels.squaredDifferences(vectors, count, queries(query), out)
    case Metric.Dot | Metric.Cosine =>
      FloatKernels.products(vectors, count, queries(query), out)
      if (metric == Metric.Cosine) divide(queryNorms(query), out)
      complement(out)
    case Metric.Hamming => throw new IllegalStateException("bits of floats")
  }

  private def divide(norm: Float, out: Array[Float]): Unit = {
    var i = 0
    while (i < count) { out(i) = out(i) / norms(i) / norm; i += 1 }
  }

  private def complement(out: Array[Float]): Unit = {
    var i = 0
    while (i < count) { out(i) = 1f - out(i); i += 1 }
  }
}

final private class DoubleTile(
    dimension: Int,
    capacity: Int,
    metric: Metric,
    queries: Array[Array[Double]]
) extends VectorTile(capacity) {
  private val vectors = new Array[Double](dimension * capacity)
  private val queryNorms = queries.map(q => DoubleKernels.norm(q, 0, dimension))
  private var count = 0

  def load(items: DataBlock, first: Int, rows: Int): Unit = items match {
    case block: Fixed64Block =>
      val (bits, from, n) = (block.values, first * dimension, rows * dimension)
      var i = 0
      while (i < n) { vectors(i) = java.lang.Double.longBitsToDouble(bits(from + i)); i += 1 }
      count = rows
    case other => throw new IllegalStateException(s"doubles in a ${other.getClass}")
  }

  def distances(query: Int, out: Array[Float]): Unit = {
    val q = queries(query)
    val norm = queryNorms(query)
    var row = 0
    while (row < count) {
      val at = row * dimension
      val distance = metric match {
        case Metric.L2 => DoubleKernels.squaredDifference(vectors, at, q)
        case Metric.Dot => 1 - DoubleKernels.product(vectors, at, q, 0, dimension)
        case Metric.Cosine =>
          1 - DoubleKernels.product(vectors, at, q, 0, dimension) /
            (DoubleKernels.norm(vectors, at, dimension) * norm)
        case Metric.Hamming => throw new IllegalStateException("bits of doubles")
      }
      out(row) = distance.toFloat
      row += 1
    }
  }
}

/** Vectors of bits, eight in a byte. Compares eight bytes at once. */
final private class BitTile(dimension: Int, capacity: Int, queries: Array[Array[Byte]])
    extends VectorTile(capacity) {
  private val vectors = new Array[Byte](dimension * capacity)
  private var count = 0

  def load(items: DataBlock, first: Int, rows: Int): Unit = items match {
    case block: Fixed8Block =>
      System.arraycopy(block.values, first * dimension, vectors, 0, rows * dimension)
      count = rows
    case other => throw new IllegalStateException(s"bits in a ${other.getClass}")
  }

  def distances(query: Int, out: Array[Float]): Unit = {
    val q = queries(query)
    var row = 0
    while (row < count) { out(row) = RowKernels.differentBits(vectors, row * dimension, q).toFloat; row += 1 }
  }
}
