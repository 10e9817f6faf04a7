package io.sparklance.index.vector

import scala.util.Using

import io.sparklance.data.{Fixed64Block, FixedSizeListBlock}
import io.sparklance.file.FileReader
import io.sparklance.index.vector.graph.NodeVectors
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.vector.{Metric, VectorColumn}
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException, WeightedCache}

/** Reads the files of a segment:
  * {{{
  * index.idx      metadata lance:index {"type", "distance_type"}, lance:ivf = number of a buffer: IVF with centroids
  *                with graphs: GraphFile
  * auxiliary.idx  _rowid, and flat | __pq_code | __sq_code   rows of a partition are together
  *                metadata lance:ivf = number of a buffer: IVF with offsets and lengths; storage_metadata: Quantizer
  * }}}
  * Models and partitions that were used last are kept in memory. Files of a segment never change.
  */
final private[vector] class VectorIndexFiles(
    store: ObjectStore,
    segment: VectorSegment,
    column: VectorColumn
) {
  import IndexFileParts._
  import VectorIndexFiles._

  /** The segment's model. */
  lazy val model: VectorIndex =
    models.getOrElseUpdate(segment.files.directory, _.weight)(locating(IndexFile)(readModel()))

  /** Returns a partition. */
  def partition(number: Int): StoredPartition =
    partitions.getOrElseUpdate((segment.files.directory, number), _.weight)(
      (model.quantizer, model.graphs) match {
        case (rotated: Quantizer.Rotated, _) => locating(StorageFile)(readRotated(rotated, number))
        case (_, Some(graphs)) => readGraphPartition(graphs, number)
        case (_, None) => locating(StorageFile)(readPartition(number))
      }
    )

  private def locating[A](file: String)(body: => A): A =
    LanceFormatException.locating(Location(file = Some(path(file))))(body)

  private def path(file: String): String = StorePath.join(segment.files.directory, file)

  private def open(file: String): FileReader =
    FileReader.open(store, path(file), segment.files.sizes.get(file))

  private def readModel(): VectorIndex = Using.resource(open(IndexFile)) { index =>
    val (kind, metricName) = QuantizerJson.kind(value(index, "lance:index"))
    val metric = Metric.parse(metricName).getOrElse(
      throw new UnsupportedLanceFeatureException(s"a vector index by '$metricName'")
    )
    if (segment.metric.exists(_ != metric))
      throw new LanceFormatException(s"the index is by ${metric.name}, but not in the manifest")
    if (!kinds.contains(kind)) throw new UnsupportedLanceFeatureException(s"a vector index of type $kind")
    val tensor =
      ivf(index).centroidsTensor.getOrElse(throw new LanceFormatException("an index without centroids"))
    val count = tensor.shape.headOption.getOrElse(0)
    if (tensor.shape.size != 2 || tensor.shape(1) != column.dimension || count < 1)
      throw new LanceFormatException(
        s"centroids of the shape ${tensor.shape.mkString("×")} for vectors of ${column.dimension} items"
      )
    val centroids = Tensors.floats(tensor, count.toLong * column.dimension, "the centroids of an index")
    Using.resource(open(StorageFile)) { storage =>
      val stored = ivf(storage)
      if (stored.lengths.size != count)
        throw new LanceFormatException(s"${stored.lengths.size} partitions of $count centroids")
      val rows = PartitionRows.of(stored.offsets, stored.lengths, storage.numRows)
      val text = value(storage, "storage_metadata")
      val quantizer = QuantizerJson.quantizer(kind, text, column.dimension, field(storage, _))(number =>
        storage.globalBuffer(number, MaxBufferBytes).toArray
      )
      val graphs = Option.when(kind.startsWith("IVF_HNSW_"))(GraphFile.graphs(index, count))
      VectorIndex(kind, metric, column.dimension, centroids, rows, quantizer, graphs)
    }
  }

  private def readGraphPartition(graphs: StoredGraphs, number: Int): GraphPartition = {
    val data = locating(StorageFile)(readPartition(number))
    val vectors = model.quantizer match {
      case Quantizer.Flat(_) => NodeVectors.whole(data.codes, column.item)
      case product: Quantizer.Product if product.isTransposed =>
        NodeVectors.rows(NodeVectors.codes(data.codes), product.width)
      case _: Quantizer.Product | _: Quantizer.Scalar | _: Quantizer.Rotated => NodeVectors.codes(data.codes)
    }
    val graph =
      locating(IndexFile)(Using.resource(open(IndexFile))(GraphFile.read(_, graphs, number, data.rows)))
    new GraphPartition(data.ids, vectors, graph)
  }

  private def readPartition(number: Int): PartitionData = Using.resource(open(StorageFile)) { file =>
    val (start, length) = (model.partitions.offsets(number), model.partitions.lengths(number))
    val ids = field(file, RowId)
    val codes = field(file, model.quantizer.column)
    check(ids, codes)
    val read = rows(file, Vector(ids, codes), start, length)
    (read.head.values, read(1).values) match {
      case (numbers: Fixed64Block, lists: FixedSizeListBlock) if !read.head.nulls.hasNulls =>
        new PartitionData(java.util.Arrays.copyOf(numbers.values, length), lists.items)
      case _ => throw new LanceFormatException("a vector index with rows that have no id")
    }
  }

  private def readRotated(rotated: Quantizer.Rotated, number: Int): RotatedPartition =
    Using.resource(open(StorageFile)) { file =>
      val rows = model.partitions.lengths(number)
      RotatedFile.read(file, rotated, model.partitions.offsets(number), rows)
    }

  private def check(ids: Field, codes: Field): Unit = {
    val fits = (model.quantizer, codes.logicalType) match {
      case (Quantizer.Flat(_), LogicalType.FixedSizeList(_, n)) =>
        n == column.dimension && VectorColumn.of(codes).exists(_.item == column.item)
      case (product: Quantizer.Product, LogicalType.FixedSizeList(item, n)) => isByte(item) &&
        n == product.width
      case (Quantizer.Scalar(_, _), LogicalType.FixedSizeList(item, n)) => isByte(item) &&
        n == column.dimension
      case _ => false
    }
    val isId = ids.logicalType match {
      case LogicalType.Integer(64, _) => true
      case _ => false
    }
    if (!fits || !isId)
      throw new LanceFormatException("the columns of a vector index are of other types than it describes")
  }

  private def isByte(item: LogicalType): Boolean = item == LogicalType.Integer(8, signed = false)
}

private[vector] object VectorIndexFiles {
  private val IndexFile = "index.idx"
  private val StorageFile = "auxiliary.idx"
  private val RowId = "_rowid"

  private val kinds =
    Set("IVF_FLAT", "IVF_PQ", "IVF_SQ", "IVF_RQ", "IVF_HNSW_FLAT", "IVF_HNSW_PQ", "IVF_HNSW_SQ")

  private val models =
    new WeightedCache[String, VectorIndex](math.min(128L << 20, Runtime.getRuntime.maxMemory / 16))
  private val partitions =
    new WeightedCache[(String, Int), StoredPartition](math.min(512L << 20, Runtime.getRuntime.maxMemory / 8))

  /** Forgets all files. */
  def clear(): Unit = {
    models.clear()
    partitions.clear()
    RowMask.clear()
  }
}
