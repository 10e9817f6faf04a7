package io.sparklance.index.vector

import scala.util.Using

import io.sparklance.data.{Column, Fixed64Block, FixedSizeListBlock, RowRange}
import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.file.FileReader
import io.sparklance.index.vector.graph.NodeVectors
import io.sparklance.io.{Closing, IoScheduler, IoTask, ObjectStore, StorePath}
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

  /** Returns partitions. Those that are not kept are requested together. */
  def partitions(numbers: Vector[Int]): Map[Int, StoredPartition] = {
    val known = numbers.flatMap(number => kept.find(key(number)).map(number -> _)).toMap
    val missing = numbers.filterNot(known.contains)
    val read = if (missing.isEmpty) Vector.empty else missing.zip(stored(missing))
    read.foreach { case (number, partition) => kept.put(key(number), partition, partition.weight) }
    known ++ read
  }

  /** Whether requests take long. */
  def isDistant: Boolean = store.profile.readAhead > 0

  /** Bytes of a partition that would be read, about. */
  def unread(number: Int): Long = if (kept.find(key(number)).isDefined) 0
  else {
    val width = model.quantizer match {
      case Quantizer.Flat(_) => column.width
      case product: Quantizer.Product => product.width.toLong
      case Quantizer.Scalar(_, _) => column.dimension.toLong
      case rotated: Quantizer.Rotated => rotated.signWidth * (1L + rotated.extra) + 8
    }
    model.partitions.lengths(number) * (8 + width) +
      model.graphs.fold(0L)(_.rows.lengths(number) * VectorIndexFiles.BytesOfNode)
  }

  private def key(number: Int) = (segment.files.directory, number)

  private def stored(numbers: Vector[Int]): Vector[StoredPartition] =
    (model.quantizer, model.graphs) match {
      case (rotated: Quantizer.Rotated, _) => rows(StorageFile, model.partitions, numbers)(
          RotatedFile.fields(_, rotated)
        )((_, columns) => RotatedFile.partition(columns, rotated))
      case (_, Some(graphs)) => withGraphs(graphs, numbers)
      case (_, None) => vectors(numbers)
    }

  private def vectors(numbers: Vector[Int]): Vector[PartitionData] =
    rows(StorageFile, model.partitions, numbers) { file =>
      val (ids, codes) = (field(file, RowId), field(file, model.quantizer.column))
      check(ids, codes)
      Vector(ids, codes)
    }((_, columns) => partition(columns))

  /** Reads the rows of partitions from a file. */
  private def rows[A](name: String, places: PartitionRows, numbers: Vector[Int])(
      fields: FileReader => Vector[Field]
  )(use: (Int, Vector[Column]) => A): Vector[A] = locating(name)(Using.resource(open(name)) { file =>
    val wanted = numbers.map { number =>
      val start = places.offsets(number)
      RowRange(start, start + places.lengths(number))
    }
    stretches(file, fields(file), wanted)((i, columns) => use(numbers(i), columns))
  })

  private def locating[A](file: String)(body: => A): A =
    LanceFormatException.locating(Location(file = Some(path(file))))(body)

  private def path(file: String): String = StorePath.join(segment.files.directory, file)

  private def open(file: String): FileReader =
    FileReader.open(store, path(file), segment.files.sizes.get(file))

  /** Opens both files side by side. */
  private def readModel(): VectorIndex = Using.resource(IoScheduler.shared.task(store.profile)) { io =>
    Using.resource(new UpcomingFile(io, opened(StorageFile))) { storage =>
      Using.resource(opened(IndexFile))(readModel(_, storage.file))
    }
  }

  private def opened(name: String): FileReader = {
    val file = open(name)
    Closing.ifFailed(file)(file.loadGlobals(MaxLoadedBytes))
    file
  }

  private def readModel(index: FileReader, storage: => FileReader): VectorIndex = {
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
    locating(StorageFile) {
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

  private def withGraphs(graphs: StoredGraphs, numbers: Vector[Int]): Vector[GraphPartition] =
    Using.resource(IoScheduler.shared.task(store.profile)) { io =>
      val edges =
        io.fork(rows(IndexFile, graphs.rows, numbers)(GraphFile.fields)((_, columns) => columns))
      val data = vectors(numbers)
      numbers.zip(data).zip(IoTask.result(edges)).map { case ((number, own), columns) =>
        val vectors = model.quantizer match {
          case Quantizer.Flat(_) => NodeVectors.whole(own.codes, column.item)
          case product: Quantizer.Product if product.isTransposed =>
            NodeVectors.rows(NodeVectors.codes(own.codes), product.width)
          case _: Quantizer.Product | _: Quantizer.Scalar | _: Quantizer.Rotated =>
            NodeVectors.codes(own.codes)
        }
        val graph = locating(IndexFile)(GraphFile.graph(columns, graphs, number, own.rows))
        new GraphPartition(own.ids, vectors, graph)
      }
    }

  private def partition(columns: Vector[Column]): PartitionData =
    (columns.head.values, columns(1).values) match {
      case (numbers: Fixed64Block, lists: FixedSizeListBlock) if !columns.head.nulls.hasNulls =>
        new PartitionData(java.util.Arrays.copyOf(numbers.values, numbers.length), lists.items)
      case _ => throw new LanceFormatException("a vector index with rows that have no id")
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

private[sparklance] object VectorIndexFiles {
  private val IndexFile = "index.idx"
  private val StorageFile = "auxiliary.idx"
  private val RowId = "_rowid"

  /** Bytes of the edges of a node in its file, about. */
  final private val BytesOfNode = 128L

  /** Bytes of global buffers that are read when a file is opened. */
  final private val MaxLoadedBytes = 16L << 20

  private val kinds =
    Set("IVF_FLAT", "IVF_PQ", "IVF_SQ", "IVF_RQ", "IVF_HNSW_FLAT", "IVF_HNSW_PQ", "IVF_HNSW_SQ")

  private val models =
    new WeightedCache[String, VectorIndex](math.min(128L << 20, Runtime.getRuntime.maxMemory / 16))
  private val capacity = math.min(512L << 20, Runtime.getRuntime.maxMemory / 8)
  private val kept = new WeightedCache[(String, Int), StoredPartition](capacity)

  /** Keeps the models of an index, and partitions until they fill half of the room for all indices. Returns
    * the number of its segments.
    */
  def prewarm(snapshot: Snapshot, index: String): Int = snapshot.locating {
    val segments = for {
      field <- snapshot.schema.fields.flatMap(_.preOrder)
      column <- VectorColumn.of(field).toVector
      segment <- VectorSegment.of(snapshot, field.id) if segment.index == index
    } yield new VectorIndexFiles(snapshot.store, segment, column.single)
    val partitions = segments.flatMap(files => files.model.partitions.lengths.indices.map(files -> _))
    val sizes = partitions.iterator.map { case (files, number) => files.unread(number) }
    val fitting = partitions.iterator.zip(sizes.scanLeft(0L)(_ + _).drop(1)).takeWhile(_._2 <= capacity / 2)
    fitting.map(_._1).toVector.groupMap(_._1)(_._2).foreach { case (files, numbers) =>
      PartitionLoad.of(files, numbers)((_, _) => ()).foreach(load => files.partitions(load.numbers))
    }
    segments.size
  }

  /** Forgets all files. */
  private[vector] def clear(): Unit = {
    models.clear()
    kept.clear()
    RowMask.clear()
  }
}
