package io.sparklance.index.vector.build

import io.sparklance.data.{DataBlock, LittleEndian}
import io.sparklance.index.build.IndexedRows
import io.sparklance.vector.VectorColumn

/** Rows of one partition, as tasks hand them to the writer of a segment:
  * {{{
  * loss   f64          sum of the rows' distances from the centroid
  * ids    u64 × n
  * codes  width × n    row after row
  * }}}
  */
final private[sparklance] case class PartitionChunk(partition: Int, bytes: Array[Byte])

private[build] object PartitionChunk {
  final val Head = 8

  def rows(bytes: Array[Byte], width: Int): Int = (bytes.length - Head) / (8 + width)
}

/** Assigns rows to partitions and encodes them. Rows are kept until [[drain]]. Belongs to one thread. */
final private[sparklance] class PartitionedRows(model: IvfModel, column: VectorColumn) {
  private val dimension = model.dimension
  private val batch = new VectorBatch(column.item, dimension, model.isNormalized)
  private val assigner = Geometry.of(model.metric).assigner(model.centroids, model.partitions, dimension)
  private val encoder = VectorEncoder.of(model)
  private val width = encoder.width
  private val tile = new Array[Float](PartitionedRows.Tile * dimension)
  private val encoded = new Array[Byte](PartitionedRows.Tile * width)
  private val nearest = new Array[Int](PartitionedRows.Tile)
  private val distances = new Array[Float](PartitionedRows.Tile)
  private val losses = new Array[Double](model.partitions)
  private val capacity = math.max(IndexedRows.BatchRows, PartitionedRows.Bytes / (12 + width))
  private var partitions = new Array[Int](capacity)
  private var ids = new Array[Long](capacity)
  private var codes = new Array[Byte](Math.multiplyExact(capacity, width))
  private var n = 0

  /** Whether [[add]] has room for another batch. */
  def hasRoom: Boolean = n + IndexedRows.BatchRows <= capacity

  def isEmpty: Boolean = n == 0

  /** Adds the rows of a batch that have a vector. */
  def add(rows: IndexedRows): Unit = {
    require(hasRoom, "no room for a batch")
    batch.load(rows.values, rows.nulls, rows.count)
    reserve(n + batch.count)
    val items = VectorBatch.vectors(rows.values).items
    var first = 0
    while (first < batch.count) {
      val count = math.min(PartitionedRows.Tile, batch.count - first)
      assigner.nearest(batch.values, first, count, nearest, distances)
      addTile(first, count, items, rows.numbers)
      first += count
    }
  }

  /** Makes room for more vectors than a batch has rows. */
  private def reserve(count: Int): Unit = if (partitions.length < count) {
    partitions = java.util.Arrays.copyOf(partitions, count)
    ids = java.util.Arrays.copyOf(ids, count)
    codes = java.util.Arrays.copyOf(codes, Math.multiplyExact(count, width))
  }

  private def addTile(first: Int, count: Int, items: DataBlock, numbers: Array[Long]): Unit = {
    System.arraycopy(batch.values, first * dimension, tile, 0, count * dimension)
    if (model.usesResiduals) subtract(count)
    encoder.encode(batch, tile, first, count, items, encoded, nearest)
    System.arraycopy(encoded, 0, codes, n * width, count * width)
    var i = 0
    while (i < count) {
      partitions(n) = nearest(i)
      ids(n) = numbers(batch.rows(first + i))
      losses(nearest(i)) += distances(i)
      n += 1
      i += 1
    }
  }

  private def subtract(count: Int): Unit = {
    val centroids = model.centroids
    var i = 0
    while (i < count) {
      val (at, from) = (i * dimension, nearest(i) * dimension)
      var j = 0
      while (j < dimension) { tile(at + j) -= centroids(from + j); j += 1 }
      i += 1
    }
  }

  /** Returns the rows by partitions, and forgets them. */
  def drain(): Vector[PartitionChunk] = {
    val sizes = new Array[Int](model.partitions)
    var i = 0
    while (i < n) { sizes(partitions(i)) += 1; i += 1 }
    val chunks =
      sizes.map(size => if (size == 0) null else new Array[Byte](PartitionChunk.Head + size * (8 + width)))
    val next = new Array[Int](model.partitions)
    i = 0
    while (i < n) {
      val p = partitions(i)
      val at = next(p)
      LittleEndian.putLong(chunks(p), PartitionChunk.Head + 8 * at, ids(i))
      System.arraycopy(codes, i * width, chunks(p), PartitionChunk.Head + 8 * sizes(p) + at * width, width)
      next(p) = at + 1
      i += 1
    }
    n = 0
    chunks.iterator.zipWithIndex.filter(_._1 != null).map { case (bytes, p) =>
      LittleEndian.putLong(bytes, 0, java.lang.Double.doubleToRawLongBits(losses(p)))
      losses(p) = 0
      PartitionChunk(p, bytes)
    }.toVector
  }
}

private object PartitionedRows {

  /** Rows that are encoded at once. */
  final private val Tile = 256

  /** Bytes of the rows that are kept. */
  final private val Bytes = 16 << 20
}
