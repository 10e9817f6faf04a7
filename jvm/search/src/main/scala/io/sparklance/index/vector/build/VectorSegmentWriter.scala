package io.sparklance.index.vector.build

import io.sparklance.data.{FileVersion, LittleEndian}
import io.sparklance.index.build.{IndexFileWriter, UnfinishedFile, WrittenIndexFile}
import io.sparklance.index.vector.Quantizer
import io.sparklance.io.ObjectStore
import io.sparklance.proto.index.IVF
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.vector.VectorColumn

/** Writes the files of a segment, whose partitions come in ascending order:
  * {{{
  * index.idx      no rows, or those of GraphFile; buffer 1: IVF with the centroids
  * auxiliary.idx  those of StoredRowsFile; buffer 1: IVF with the rows of each partition; buffer 2: codebook
  * }}}
  * The codes of product quantization are transposed: first bytes of all rows of a partition, then second
  * ones, and so on.
  *
  * @param threads
  *   number of threads that build graphs
  * @param check
  *   called while a graph is built; ends the work by an exception
  */
final private[sparklance] class VectorSegmentWriter(
    store: ObjectStore,
    directory: String,
    version: FileVersion,
    model: IvfModel,
    column: VectorColumn,
    threads: Int = 1,
    check: () => Unit = () => ()
) extends UnfinishedFile {
  private val width = VectorEncoder.of(model).width
  private val storage = new StoredRowsFile(store, directory, version, model)
  private var graphs = Option.empty[GraphFileWriter]
  private val lengths = new Array[Int](model.partitions)
  private val gathered = new GatheredRows(width)
  private var current = 0
  private var loss = 0.0

  /** Appends rows of a partition, not below that of earlier calls. */
  def append(partition: Int, chunk: Array[Byte]): Unit = {
    require(partition >= current, s"partition $partition after $current")
    if (partition != current) flush()
    current = partition
    val rows = PartitionChunk.rows(chunk, width)
    loss += java.lang.Double.longBitsToDouble(LittleEndian.long(chunk, 0))
    lengths(partition) = Math.addExact(lengths(partition), rows)
    if (isTransposed || model.kind.hasGraph) gathered.add(partition, chunk, rows)
    else storage.write(chunk, PartitionChunk.Head, rows, chunk, PartitionChunk.Head + 8 * rows)
  }

  /** Completes both files. */
  def finish(): Vector[WrittenIndexFile] = {
    flush()
    val stored = storage.finish(lengths, column)
    Vector(stored, if (model.kind.hasGraph) openGraphs().finish(centroids) else writeMarkers())
  }

  def abort(): Unit = {
    storage.abort()
    graphs.foreach(_.abort())
  }

  private def writeMarkers(): WrittenIndexFile = {
    val marker = Field(0, "__flat_marker", LogicalType.Integer(64, signed = false), nullable = false)
    val index = new IndexFileWriter(store, directory, "index.idx", LanceSchema(Vector(marker)), version)
    UnfinishedFile.writing(index) { index =>
      val none = Vector.fill(model.partitions)(0)
      index.writeGlobalBuffer(centroids.copy(offsets = none.map(_.toLong), lengths = none).toByteArray)
      index.finish(Map(
        "lance:index" -> SegmentJson.index(model),
        "lance:ivf" -> "1",
        "lance:flat" -> SegmentJson.array(Vector.fill(model.partitions)(""))
      ))
    }
  }

  private def centroids: IVF = {
    val tensor = WrittenTensors.of(model.centroids, Vector(model.partitions, model.dimension), column.item)
    IVF(centroidsTensor = Some(tensor), loss = Some(loss))
  }

  private def isTransposed: Boolean = model.quantizer match {
    case product: Quantizer.Product => product.isTransposed
    case _: Quantizer.Flat | _: Quantizer.Scalar | _: Quantizer.Rotated => false
  }

  private def openGraphs(): GraphFileWriter = graphs.getOrElse {
    val opened = new GraphFileWriter(store, directory, version, model, threads, check)
    graphs = Some(opened)
    opened
  }

  private def flush(): Unit = if (gathered.rows > 0) {
    val rows = gathered.rows
    val (ids, codes) = gathered.take()
    if (model.kind.hasGraph) openGraphs().append(current, codes)
    storage.write(ids, 0, rows, if (isTransposed) GatheredRows.transposed(codes, width) else codes, 0)
  }
}
