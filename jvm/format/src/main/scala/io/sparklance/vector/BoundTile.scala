package io.sparklance.vector

import io.sparklance.data.DataBlock

/** Some vectors of a batch, to be compared with many queries. Most of them are far from a query, which a
  * lower bound of the distance shows: it needs half the work, and one pass for many queries. Distances of the
  * others are computed one by one, to the same bits as those of a [[VectorTile]].
  * {{{
  * l2       |x|² + Σ −2 q·x      less what rounding may add; |q|² is on the other side of the comparison
  * dot      Σ −q·x               1 is there too: a sum that begins at 1 has no digits for short vectors
  * cosine   1 + Σ −q·x           of vectors scaled to length 1
  * }}}
  * A block of items of all vectors stays in a core's first cache for the queries of a pass. Belongs to one
  * thread.
  */
final private[sparklance] class BoundTile private (
    dimension: Int,
    val capacity: Int,
    metric: Metric,
    queries: Array[Array[Float]],
    items: FloatItems
) {
  import BoundTile._

  private val spread = new SpreadVectors(dimension, capacity, items)
  private val vectors = spread.items
  private val one = new Array[Float](dimension)
  private val zeros = new Array[Float](dimension)
  private val norms = new Array[Float](spread.room)
  private val bases = new Array[Float](spread.room)
  private val queryNorms = queries.map(FloatKernels.norm)
  private val querySquares = queries.map(_.foldLeft(0.0)((sum, x) => sum + x.toDouble * x))

  /** Share of the squares of the norms by which rounding may change a sum. */
  private val share = (dimension + 32) * math.ulp(1f)

  /** By how much products may change a sum that are too small for all digits of a float. */
  private val least = (dimension + 32) * 2.0 * Float.MinPositiveValue
  private val factors = queries.zip(queryNorms).map { case (query, norm) =>
    metric match {
      case Metric.L2 => query.map(_ * -2f)
      case Metric.Dot => query.map(-_)
      case Metric.Cosine => query.map(-_ / norm)
      case Metric.Hamming => throw new IllegalStateException("bits of floats")
    }
  }
  private var source = Option.empty[DataBlock]
  private var start = 0
  private var count = 0

  /** Copies vectors `[first, first + rows)` of a block with their items, which must stay as they are. */
  def load(from: DataBlock, first: Int, rows: Int): Unit = {
    spread.load(from, first, rows)
    source = Some(from)
    start = first
    count = rows
    prepare()
  }

  private def prepare(): Unit = {
    FloatKernels.squaredDifferences(vectors, count, zeros, bases)
    var row = 0
    while (row < count) {
      val square = bases(row)
      norms(row) = math.sqrt(square.toDouble).toFloat
      bases(row) = if (isBounded(square.toDouble)) base(square) else Float.NaN
      row += 1
    }
    if (metric == Metric.Cosine) vectors.foreach(divide)
  }

  private def base(square: Float): Float = metric match {
    case Metric.L2 => square * (1f - share)
    case Metric.Dot => -share * square
    case Metric.Cosine | Metric.Hamming => 1f - share
  }

  /** Whether sums have bounds for vectors with such a square of the norm. */
  private def isBounded(square: Double): Boolean =
    square <= MostSquare && (metric != Metric.Cosine || square >= LeastSquare)

  private def divide(items: Array[Float]): Unit = {
    var row = 0
    while (row < count) { items(row) = items(row) / norms(row); row += 1 }
  }

  /** Computes sums that are not above the [[limit]] of a distance if the vector has that distance or a lesser
    * one; NaN if that is not known.
    *
    * @param first
    *   number of the first query; the others follow it
    * @param out
    *   for each query
    */
  def sums(first: Int, out: Array[Array[Float]]): Unit = {
    out.foreach(System.arraycopy(bases, 0, _, 0, count))
    var item = 0
    while (item < dimension) {
      val end = math.min(item + ItemsAtOnce, dimension)
      var query = 0
      while (query < out.length && first + query < queries.length) {
        FloatKernels.addProducts(vectors, item, end, count, factors(first + query), out(query))
        query += 1
      }
      item = end
    }
  }

  /** Returns the greatest sum of vectors with a distance from a query. */
  def limit(query: Int, distance: Float): Float = {
    val square = querySquares(query)
    if (!isBounded(square)) Float.PositiveInfinity
    else
      metric match {
        case Metric.L2 => (distance - square * (1 - share) + least).toFloat
        case Metric.Dot => (distance - 1.0 + square * share + math.ulp(1f)).toFloat
        case Metric.Cosine | Metric.Hamming => distance
      }
  }

  /** Returns the distance of a vector from a query; NaN if there is none. */
  def distance(query: Int, row: Int): Float = {
    source.foreach(items.copy(_, (start + row) * dimension, dimension, one))
    def product = RowKernels.partialProduct(one, 0, queries(query), 0, dimension)
    metric match {
      case Metric.L2 => RowKernels.partialDifference(one, 0, queries(query), 0, dimension)
      case Metric.Dot => 1f - product
      case Metric.Cosine | Metric.Hamming => 1f - product / norms(row) / queryNorms(query)
    }
  }
}

private[sparklance] object BoundTile {

  /** Items of the vectors of a tile that are in the first cache. */
  final private val ItemsAtOnce = 8
  final private val MostRows = 1024
  final private val Bytes = 8L << 20

  /** Least square of the norm of a vector whose direction a cosine knows to all digits. */
  final private val LeastSquare = 1e-30

  /** Greatest square of a norm for which no part of a sum leaves the range of floats. */
  final private val MostSquare = 1e38

  /** Number of queries for which [[BoundTile.sums]] is best asked at once. */
  final val QueriesAtOnce = 32

  /** Number of queries from which on bounds are worth their while. */
  final private val Many = 4

  /** Returns a tile, if there are many queries and the items have bounds.
    *
    * @param queries
    *   fitted to the column
    */
  def of(column: VectorColumn, metric: Metric, queries: Vector[Array[Double]]): Option[BoundTile] =
    column.item match {
      case VectorItem.Float16 | VectorItem.BFloat16 | VectorItem.Float32 | VectorItem.Int8
          if queries.size >= Many =>
        val floats = queries.map(_.map(_.toFloat)).toArray
        Some(new BoundTile(column.dimension, rows(column), metric, floats, FloatItems.of(column.item)))
      case VectorItem.Float16 | VectorItem.BFloat16 | VectorItem.Float32 | VectorItem.Int8 |
          VectorItem.Float64 | VectorItem.UInt8 => None
    }

  /** Number of vectors of a column that a tile holds. */
  def rows(column: VectorColumn): Int =
    math.max(64L, math.min(MostRows.toLong, Bytes / math.max(1L, 4L * column.dimension))).toInt
}
