package io.sparklance.index.vector

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, Fixed8Block}
import io.sparklance.vector.{
  DistanceRange,
  Metric,
  NearestHeap,
  Neighbors,
  VectorColumn,
  VectorItem,
  VectorTile
}

/** A query for the vectors of a segment.
  *
  * @param items
  *   the query vector, fitted to the column
  * @param k
  *   number of rows to find
  */
final private[vector] case class SegmentQuery(
    items: Array[Double],
    k: Int,
    probes: Probes,
    range: DistanceRange
)

/** Searches one segment. Distances are those of the stored form: estimates, unless it is whole vectors. For
  * cosine, quantized forms give the squared distance of unit vectors, which is twice the cosine's.
  */
final private[vector] class SegmentSearch(files: VectorIndexFiles, column: VectorColumn, mask: RowMask) {
  private val model = files.model
  private val dimension = model.dimension
  private var distances = Array.emptyFloatArray

  /** Vectors compared so far. */
  var compared: Long = 0

  /** Partitions searched so far. */
  var probed: Long = 0

  /** Begins the search of a query. */
  def begin(query: SegmentQuery): Probing = {
    val prepared = prepare(query.items)
    val ranked = new Array[Float](model.partitions.count)
    rank(prepared, ranked)
    val order = Array.range(0, ranked.length).map(i => Integer.valueOf(i))
    java.util.Arrays.sort(order, (a: Integer, b: Integer) => java.lang.Float.compare(ranked(a), ranked(b)))
    val sorted = order.map(i => ranked(i))
    new Probing(
      this,
      query,
      prepared,
      order.map(_.intValue),
      Probes.first(query.probes, sorted, model.metric, query.k)
    )
  }

  private def prepare(items: Array[Double]): Array[Float] = {
    val query = items.map(_.toFloat)
    if (model.metric == Metric.Cosine) {
      val norm = math.sqrt(query.foldLeft(0f)((sum, x) => sum + x * x).toDouble).toFloat
      query.map(_ / norm)
    } else query
  }

  /** Computes the distances of the centroids. */
  private def rank(query: Array[Float], out: Array[Float]): Unit = {
    val metric = if (model.metric == Metric.Cosine) Metric.L2 else model.metric
    if (metric == Metric.Hamming) rankBits(query, out)
    else {
      val floats = VectorColumn(column.field, VectorItem.Float32, dimension, isMulti = false)
      val tile = VectorTile.of(floats, metric, Vector(query.map(_.toDouble)))
      measure(tile, model.centroidBits, out.length, out)
    }
  }

  /** Computes the distances of the first `count` of `vectors`. */
  private def measure(tile: VectorTile, vectors: DataBlock, count: Int, out: Array[Float]): Unit = {
    val some = new Array[Float](tile.capacity)
    var first = 0
    while (first < count) {
      val rows = math.min(tile.capacity, count - first)
      tile.load(vectors, first, rows)
      tile.distances(0, some)
      System.arraycopy(some, 0, out, first, rows)
      first += rows
    }
  }

  private def rankBits(query: Array[Float], out: Array[Float]): Unit = {
    var partition = 0
    while (partition < out.length) {
      var bits = 0
      var i = 0
      while (i < dimension) {
        bits += Integer.bitCount(model.centroids(partition * dimension + i).toInt ^ query(i).toInt)
        i += 1
      }
      out(partition) = bits.toFloat
      partition += 1
    }
  }

  /** Offers the rows of a partition to a heap. */
  private[vector] def search(
      partition: Int,
      query: SegmentQuery,
      prepared: Array[Float],
      best: NearestHeap
  ): Unit =
    if (model.partitions.lengths(partition) > 0) {
      val data = files.partition(partition)
      if (distances.length < data.rows) distances = new Array[Float](data.rows)
      model.quantizer match {
        case product: Quantizer.Product => ofProduct(product, partition, prepared, data)
        case scalar: Quantizer.Scalar => ofScalar(scalar, prepared, data)
        case _: Quantizer.Flat => ofVectors(query.items, data)
      }
      compared += data.rows
      probed += 1
      keep(data, query.range, best)
    }

  private def ofProduct(
      quantizer: Quantizer.Product,
      partition: Int,
      query: Array[Float],
      data: PartitionData
  ): Unit = {
    val isDot = model.metric == Metric.Dot
    val from = partition * dimension
    val target = if (isDot) query else Array.tabulate(dimension)(i => query(i) - model.centroids(from + i))
    val product = new ProductDistances(quantizer, dimension)
    product.prepare(target, isDot)
    product.distances(bytes(data.codes), data.rows, isDot, distances)
  }

  private def ofScalar(quantizer: Quantizer.Scalar, query: Array[Float], data: PartitionData): Unit = {
    val scalar = new ScalarDistances(quantizer, dimension)
    if (model.metric == Metric.Dot) scalar.products(bytes(data.codes), data.rows, query, distances)
    else scalar.squared(bytes(data.codes), data.rows, query, distances)
  }

  private def ofVectors(query: Array[Double], data: PartitionData): Unit =
    measure(VectorTile.of(column, model.metric, Vector(query)), data.codes, data.rows, distances)

  private def keep(data: PartitionData, range: DistanceRange, best: NearestHeap): Unit = {
    var bound = best.bound
    var i = 0
    while (i < data.rows) {
      val distance = distances(i)
      if (distance <= bound && range.contains(distance)) {
        val address = mask.address(data.ids(i))
        if (address >= 0) {
          best.offer(distance, address)
          bound = best.bound
        }
      }
      i += 1
    }
  }

  private def bytes(codes: DataBlock): Array[Byte] = codes match {
    case block: Fixed8Block => block.values
    case other => throw new LanceFormatException(s"codes in a ${other.getClass.getSimpleName}")
  }
}

/** The partitions of a segment in the order in which a query looks at them.
  *
  * @param first
  *   number of partitions to search first
  */
final private[vector] class Probing(
    search: SegmentSearch,
    query: SegmentQuery,
    prepared: Array[Float],
    order: Array[Int],
    first: Int
) {
  private val best = new NearestHeap(query.k)
  private val most = math.min(query.probes.most.getOrElse(order.length), order.length)
  private var next = 0

  /** Searches the partitions nearest to the query. */
  def begin(): Unit = while (next < first) advance()

  /** Searches one more partition. Returns false if there is none left. */
  def proceed(): Boolean = next < most && {
    advance()
    true
  }

  /** Number of rows found. */
  def found: Int = best.size

  /** Returns the rows, and forgets them. */
  def answer: Neighbors = best.drain()

  private def advance(): Unit = {
    search.search(order(next), query, prepared, best)
    next += 1
  }
}
