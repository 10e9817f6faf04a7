package io.sparklance.index.vector

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, Fixed8Block}
import io.sparklance.vector.{
  DistanceRange,
  Metric,
  NearestHeap,
  NearestSpec,
  VectorColumn,
  VectorItem,
  VectorTile
}

/** Searches one segment for all queries of a search: a partition is read once for the queries that look at
  * it. Distances are those of the stored form: estimates, unless it is whole vectors. For cosine, quantized
  * forms give the squared distance of unit vectors, which is twice the cosine's. Belongs to one thread.
  *
  * @param k
  *   number of rows to find
  */
final private[vector] class SegmentSearch(
    val files: VectorIndexFiles,
    spec: NearestSpec,
    mask: RowMask,
    k: Int,
    probes: Probes
) {
  private val model = files.model
  private val dimension = model.dimension
  private val queries = spec.queries.map(_.vectors.head)
  private val prepared = queries.map(SegmentSearch.prepare(_, model.metric))
  private lazy val graphs = new GraphsSearch(model, spec, mask, k, probes)
  private lazy val rotated = model.quantizer match {
    case form: Quantizer.Rotated => new RotatedDistances(model, form)
    case _: Quantizer.Flat | _: Quantizer.Product | _: Quantizer.Scalar =>
      throw new IllegalStateException("no rotated vectors")
  }
  private lazy val batch = model.quantizer match {
    case product: Quantizer.Product if spec.queries.size >= SegmentSearch.Many && model.graphs.isEmpty =>
      Some(new ProductBatch(model, product, prepared, spec.range, mask))
    case _: Quantizer.Flat | _: Quantizer.Product | _: Quantizer.Scalar | _: Quantizer.Rotated => None
  }
  private lazy val form = model.quantizer match {
    case product: Quantizer.Product => StoredForm.Codes(ofProduct(new ProductDistances(product, dimension)))
    case scalar: Quantizer.Scalar => StoredForm.Codes(ofScalar(new ScalarDistances(scalar, dimension)))
    case _: Quantizer.Rotated => throw new IllegalStateException("rotated vectors as codes")
    case _: Quantizer.Flat => StoredForm.Whole(VectorTile.of(spec.column, model.metric, queries))
  }
  private var distances = Array.emptyFloatArray

  /** Vectors compared so far. */
  var compared: Long = 0

  /** Partitions searched so far, counted for each query. */
  var probed: Long = 0

  /** Number of queries to search for at once, so that their tables fit in memory. */
  val together: Int = model.quantizer match {
    case product: Quantizer.Product =>
      math.max(SegmentSearch.Many, SegmentSearch.BytesOfQueries / (8 * ProductSteps.Values * product.width))
    case _: Quantizer.Flat | _: Quantizer.Scalar | _: Quantizer.Rotated => Int.MaxValue
  }

  /** Number of queries whose tables are in memory. */
  def tables: Int = batch.fold(0)(_.tables)

  /** Forgets the tables of queries. */
  def clear(numbers: Range): Unit = batch.foreach(_.clear(numbers))

  /** Returns the order in which each query looks at partitions. */
  def orders: Vector[PartitionOrder] =
    prepared.grouped(SegmentSearch.QueriesAtOnce).flatMap { some =>
      val ranked = Array.fill(some.size)(new Array[Float](model.partitions.count))
      if (model.metric == Metric.Hamming) some.zip(ranked).foreach { case (query, out) =>
        rankBits(query, out)
      }
      else rank(some, ranked)
      ranked.iterator.map(PartitionOrder.of(_, model.metric, k, probes))
    }.toVector

  /** Computes the distances of the centroids from queries. */
  private def rank(some: Vector[Array[Float]], out: Array[Array[Float]]): Unit = {
    val metric = if (model.metric == Metric.Cosine) Metric.L2 else model.metric
    val floats = VectorColumn(spec.column.field, VectorItem.Float32, dimension, isMulti = false)
    val tile = VectorTile.of(floats, metric, some.map(_.map(_.toDouble)))
    val part = new Array[Float](tile.capacity)
    var first = 0
    while (first < model.partitions.count) {
      val count = math.min(tile.capacity, model.partitions.count - first)
      tile.load(model.centroidBits, first, count)
      out.indices.foreach { query =>
        tile.distances(query, part)
        System.arraycopy(part, 0, out(query), first, count)
      }
      first += count
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

  /** Whether a partition has no rows. */
  def isEmpty(partition: Int): Boolean = model.partitions.lengths(partition) == 0

  /** Offers the rows of a partition to the heaps of queries.
    *
    * @param stored
    *   that partition
    * @param numbers
    *   of the queries
    * @param heaps
    *   of all queries
    */
  def search(
      partition: Int,
      stored: StoredPartition,
      numbers: Array[Int],
      heaps: Vector[NearestHeap]
  ): Unit = {
    stored match {
      case data: PartitionData => scan(partition, data, numbers, heaps)
      case data: RotatedPartition => estimate(partition, data, numbers, heaps)
      case data: GraphPartition =>
        compared += graphs.search(partition, data, numbers.map(n => (n, prepared(n), heaps(n))))
    }
    probed += numbers.length
  }

  private def scan(
      partition: Int,
      data: PartitionData,
      numbers: Array[Int],
      heaps: Vector[NearestHeap]
  ): Unit = {
    (batch, form) match {
      case (Some(many), _) => many.search(partition, data.ids, bytes(data.codes), numbers, heaps)
      case (None, StoredForm.Whole(tile)) => ofVectors(tile, data, numbers, heaps)
      case (None, StoredForm.Codes(measure)) =>
        if (distances.length < data.rows) distances = new Array[Float](data.rows)
        numbers.foreach { query =>
          measure(partition, prepared(query), data)
          keep(data.ids, 0, data.rows, heaps(query))
        }
    }
    compared += data.rows.toLong * numbers.length
  }

  private def estimate(
      partition: Int,
      data: RotatedPartition,
      numbers: Array[Int],
      heaps: Vector[NearestHeap]
  ): Unit = {
    if (distances.length < data.rows) distances = new Array[Float](data.rows)
    numbers.foreach { query =>
      rotated.distances(partition, prepared(query), data, distances)
      keep(data.ids, 0, data.rows, heaps(query))
    }
    compared += data.rows.toLong * numbers.length
  }

  private def ofProduct(product: ProductDistances)(
      partition: Int,
      query: Array[Float],
      data: PartitionData
  ): Unit = {
    val isDot = model.metric == Metric.Dot
    val target = if (isDot) query else model.residual(query, partition)
    product.prepare(target, isDot)
    product.distances(bytes(data.codes), data.rows, isDot, distances)
  }

  private def ofScalar(
      scalar: ScalarDistances
  )(@annotation.unused partition: Int, query: Array[Float], data: PartitionData): Unit =
    if (model.metric == Metric.Dot) scalar.products(bytes(data.codes), data.rows, query, distances)
    else scalar.squared(bytes(data.codes), data.rows, query, distances)

  private def ofVectors(
      tile: VectorTile,
      data: PartitionData,
      numbers: Array[Int],
      heaps: Vector[NearestHeap]
  ): Unit = {
    if (distances.length < tile.capacity) distances = new Array[Float](tile.capacity)
    var first = 0
    while (first < data.rows) {
      val count = math.min(tile.capacity, data.rows - first)
      tile.load(data.codes, first, count)
      numbers.foreach { query =>
        tile.distances(query, distances)
        keep(data.ids, first, count, heaps(query))
      }
      first += count
    }
  }

  private def keep(ids: Array[Long], first: Int, count: Int, best: NearestHeap): Unit = {
    val range: DistanceRange = spec.range
    var bound = best.bound
    var i = 0
    while (i < count) {
      val distance = distances(i)
      if (distance <= bound && range.contains(distance)) {
        val address = mask.address(ids(first + i))
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

/** The way to compute distances from the stored form. */
sealed private[vector] trait StoredForm

private[vector] object StoredForm {

  /** @param tile for all queries */
  final case class Whole(tile: VectorTile) extends StoredForm

  /** @param measure
    *   computes the distances of the rows of a partition from a prepared query
    */
  final case class Codes(measure: (Int, Array[Float], PartitionData) => Unit) extends StoredForm
}

private object SegmentSearch {

  /** Queries from which on those that look at a partition are searched for together. */
  final private val Many = 4

  /** Bytes of what is in memory of many queries, apart from their vectors. */
  final private val BytesOfQueries = 64 << 20

  /** Queries whose distances from all centroids are in memory at once. */
  final private val QueriesAtOnce = 64

  private def prepare(items: Array[Double], metric: Metric): Array[Float] = {
    val query = items.map(_.toFloat)
    if (metric == Metric.Cosine) {
      val norm = math.sqrt(query.foldLeft(0f)((sum, x) => sum + x * x).toDouble).toFloat
      query.map(_ / norm)
    } else query
  }
}
