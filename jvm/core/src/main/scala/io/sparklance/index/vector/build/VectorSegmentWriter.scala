package io.sparklance.index.vector.build

import io.sparklance.LanceUsageException
import io.sparklance.data.{
  FileVersion,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedSizeListBlock,
  LittleEndian
}
import io.sparklance.index.build.{IndexFileWriter, UnfinishedFile, WrittenIndexFile}
import io.sparklance.index.vector.Quantizer
import io.sparklance.io.ObjectStore
import io.sparklance.proto.index.IVF
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.vector.VectorColumn

/** Writes the files of a segment, whose partitions come in ascending order:
  * {{{
  * index.idx      no rows; buffer 1: IVF with the centroids
  * auxiliary.idx  _rowid: u64, flat | __pq_code | __sq_code: fixed-size list
  *                buffer 1: IVF with the rows of each partition; buffer 2: codebook
  * }}}
  * The codes of product quantization are transposed: first bytes of all rows of a partition, then second
  * ones, and so on.
  */
final private[sparklance] class VectorSegmentWriter(
    store: ObjectStore,
    directory: String,
    version: FileVersion,
    model: IvfModel,
    column: VectorColumn
) extends UnfinishedFile {
  private val width = VectorEncoder.of(model).width
  private val storage = {
    val id = Field(0, "_rowid", LogicalType.Integer(64, signed = false), nullable = true)
    new IndexFileWriter(store, directory, "auxiliary.idx", LanceSchema(Vector(id, codes)), version)
  }
  private val lengths = new Array[Int](model.partitions)
  private val gathered = new Gathered
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
    if (isTransposed) gathered.add(chunk, rows)
    else write(chunk, PartitionChunk.Head, rows, chunk, PartitionChunk.Head + 8 * rows)
  }

  /** Completes both files. */
  def finish(): Vector[WrittenIndexFile] = {
    flush()
    val offsets = lengths.scanLeft(0L)(_ + _).init
    storage.writeGlobalBuffer(IVF(offsets = offsets.toVector, lengths = lengths.toVector).toByteArray)
    model.quantizer match {
      case product: Quantizer.Product =>
        val shape = Vector(product.entries, model.dimension)
        storage.writeGlobalBuffer(WrittenTensors.of(product.codebook, shape, column.item).toByteArray)
      case _: Quantizer.Flat | _: Quantizer.Scalar | _: Quantizer.Rotated =>
    }
    val stored = storage.finish(Map(
      "distance_type" -> model.metric.name,
      "lance:ivf" -> "1",
      "storage_metadata" -> SegmentJson.array(Vector(SegmentJson.quantizer(model)))
    ))
    Vector(stored, writeIndex())
  }

  def abort(): Unit = storage.abort()

  private def writeIndex(): WrittenIndexFile = {
    val marker = Field(0, "__flat_marker", LogicalType.Integer(64, signed = false), nullable = false)
    val index = new IndexFileWriter(store, directory, "index.idx", LanceSchema(Vector(marker)), version)
    UnfinishedFile.writing(index) { index =>
      val tensor = WrittenTensors.of(model.centroids, Vector(model.partitions, model.dimension), column.item)
      val none = Vector.fill(model.partitions)(0)
      val ivf = IVF(
        offsets = none.map(_.toLong),
        lengths = none,
        centroidsTensor = Some(tensor),
        loss = Some(loss)
      )
      index.writeGlobalBuffer(ivf.toByteArray)
      index.finish(Map(
        "lance:index" -> SegmentJson.index(model),
        "lance:ivf" -> "1",
        "lance:flat" -> SegmentJson.array(Vector.fill(model.partitions)(""))
      ))
    }
  }

  private def codes: Field = {
    val bytes = LogicalType.Integer(8, signed = false)
    model.quantizer match {
      case Quantizer.Flat(field) => Field(1, model.quantizer.column, field.logicalType, nullable = true)
      case _: Quantizer.Product | _: Quantizer.Scalar | _: Quantizer.Rotated =>
        Field(1, model.quantizer.column, LogicalType.FixedSizeList(bytes, width), nullable = true)
    }
  }

  private def isTransposed: Boolean = model.quantizer match {
    case product: Quantizer.Product => product.isTransposed
    case _: Quantizer.Flat | _: Quantizer.Scalar | _: Quantizer.Rotated => false
  }

  private def flush(): Unit = if (gathered.rows > 0) {
    val (ids, codes) = gathered.transposed()
    write(ids, 0, gathered.rows, codes, 0)
    gathered.clear()
  }

  /** Writes rows from their ids and codes, which begin at these places. */
  private def write(ids: Array[Byte], idsAt: Int, rows: Int, codes: Array[Byte], codesAt: Int): Unit = {
    var first = 0
    while (first < rows) {
      val n = math.min(rows - first, VectorSegmentWriter.RowsAtOnce)
      storage.columns(0).values match {
        case block: Fixed64Block =>
          val at = block.extend(n)
          var i = 0
          while (i < n) { block.values(at + i) = LittleEndian.long(ids, idsAt + 8 * (first + i)); i += 1 }
        case other => throw new IllegalStateException(s"row ids in a ${other.getClass}")
      }
      storage.columns(1).values match {
        case lists: FixedSizeListBlock =>
          appendCodes(lists, codes, codesAt + first * width, n)
          lists.advance(n)
        case other => throw new IllegalStateException(s"vectors in a ${other.getClass}")
      }
      storage.columns.foreach(_.nulls.appendValid(n))
      storage.rowsWritten(n)
      first += n
    }
  }

  private def appendCodes(lists: FixedSizeListBlock, codes: Array[Byte], from: Int, rows: Int): Unit = {
    val n = rows * lists.dimension
    var i = 0
    lists.items match {
      case block: Fixed8Block =>
        val at = block.extend(n)
        System.arraycopy(codes, from, block.values, at, n)
      case block: Fixed16Block =>
        val at = block.extend(n)
        while (i < n) { block.values(at + i) = LittleEndian.short(codes, from + 2 * i); i += 1 }
      case block: Fixed32Block =>
        val at = block.extend(n)
        while (i < n) { block.values(at + i) = LittleEndian.int(codes, from + 4 * i); i += 1 }
      case block: Fixed64Block =>
        val at = block.extend(n)
        while (i < n) { block.values(at + i) = LittleEndian.long(codes, from + 8 * i); i += 1 }
      case other => throw new IllegalStateException(s"items of vectors in a ${other.getClass}")
    }
  }

  /** The rows of a partition. */
  final private class Gathered {
    private val chunks = scala.collection.mutable.ArrayBuffer.empty[Array[Byte]]
    private var count = 0

    def rows: Int = count

    def add(chunk: Array[Byte], n: Int): Unit = {
      if ((count.toLong + n) * math.max(8, width) > VectorSegmentWriter.MaxBytes)
        throw new LanceUsageException(
          s"Partition $current of the index has more than ${count.toLong + n} rows, too many to write. Give a greater " +
            "num_partitions, or a smaller segment_rows."
        )
      chunks += chunk
      count += n
    }

    def clear(): Unit = {
      chunks.clear()
      count = 0
    }

    /** Returns the ids and the transposed codes. */
    def transposed(): (Array[Byte], Array[Byte]) = {
      val (ids, codes) = (new Array[Byte](8 * count), new Array[Byte](width * count))
      var first = 0
      chunks.foreach { chunk =>
        val n = PartitionChunk.rows(chunk, width)
        System.arraycopy(chunk, PartitionChunk.Head, ids, 8 * first, 8 * n)
        val from = PartitionChunk.Head + 8 * n
        var b = 0
        while (b < width) {
          val at = b * count + first
          var i = 0
          while (i < n) { codes(at + i) = chunk(from + i * width + b); i += 1 }
          b += 1
        }
        first += n
      }
      (ids, codes)
    }
  }
}

private object VectorSegmentWriter {
  final private val RowsAtOnce = 8192
  final private val MaxBytes = 1L << 30
}
