package io.sparklance.index.vector.build

import io.sparklance.data.{
  Column,
  FileVersion,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedSizeListBlock,
  LittleEndian
}
import io.sparklance.index.build.{IndexFileWriter, WrittenIndexFile}
import io.sparklance.index.vector.Quantizer
import io.sparklance.io.ObjectStore
import io.sparklance.proto.index.IVF
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.vector.VectorColumn

/** Writes the stored vectors of a segment:
  * {{{
  * auxiliary.idx  _rowid: u64, flat | __pq_code | __sq_code | _rabit_codes: fixed-size list
  *                with _rabit_codes: __add_factors, __scale_factors, __error_factors: f32
  * }}}
  */
final private[build] class StoredRowsFile(
    store: ObjectStore,
    directory: String,
    version: FileVersion,
    model: IvfModel
) {
  private val width = VectorEncoder.of(model).width
  private val factors = model.quantizer match {
    case _: Quantizer.Rotated =>
      Vector(Quantizer.Rotated.Added, Quantizer.Rotated.Scales, Quantizer.Rotated.Errors)
    case _: Quantizer.Flat | _: Quantizer.Product | _: Quantizer.Scalar => Vector.empty[String]
  }
  private val codeWidth = width - 4 * factors.size
  private val file = {
    val id = Field(0, "_rowid", LogicalType.Integer(64, signed = false), nullable = true)
    val ofFactors = factors.zipWithIndex.map { case (name, i) =>
      Field(2 + i, name, LogicalType.FloatingPoint(32), nullable = true)
    }
    new IndexFileWriter(
      store,
      directory,
      "auxiliary.idx",
      LanceSchema(Vector(id, codes) ++ ofFactors),
      version
    )
  }

  /** Writes rows from their ids and codes, which begin at these places. */
  def write(ids: Array[Byte], idsAt: Int, rows: Int, codes: Array[Byte], codesAt: Int): Unit = {
    var first = 0
    while (first < rows) {
      val n = math.min(rows - first, StoredRowsFile.RowsAtOnce)
      appendIds(ids, idsAt + 8 * first, n)
      file.columns(1).values match {
        case lists: FixedSizeListBlock =>
          appendCodes(lists, codes, codesAt + first * width, n)
          lists.advance(n)
        case other => throw new IllegalStateException(s"vectors in a ${other.getClass}")
      }
      factors.indices.foreach { i =>
        appendFactors(file.columns(2 + i), codes, codesAt + first * width + codeWidth + 4 * i, n)
      }
      file.columns.foreach(_.nulls.appendValid(n))
      file.rowsWritten(n)
      first += n
    }
  }

  def finish(lengths: Array[Int], column: VectorColumn): WrittenIndexFile = {
    val offsets = lengths.scanLeft(0L)(_ + _).init
    file.writeGlobalBuffer(IVF(offsets = offsets.toVector, lengths = lengths.toVector).toByteArray)
    model.quantizer match {
      case product: Quantizer.Product =>
        val shape = Vector(product.entries, model.dimension)
        file.writeGlobalBuffer(WrittenTensors.of(product.codebook, shape, column.item).toByteArray)
      case _: Quantizer.Flat | _: Quantizer.Scalar | _: Quantizer.Rotated =>
    }
    file.finish(Map(
      "distance_type" -> model.metric.name,
      "lance:ivf" -> "1",
      "storage_metadata" -> SegmentJson.array(Vector(SegmentJson.quantizer(model)))
    ))
  }

  def abort(): Unit = file.abort()

  private def codes: Field = model.quantizer match {
    case Quantizer.Flat(field) => Field(1, model.quantizer.column, field.logicalType, nullable = true)
    case _: Quantizer.Product | _: Quantizer.Scalar | _: Quantizer.Rotated =>
      val bytes = LogicalType.Integer(8, signed = false)
      Field(1, model.quantizer.column, LogicalType.FixedSizeList(bytes, codeWidth), nullable = true)
  }

  private def appendIds(ids: Array[Byte], from: Int, rows: Int): Unit = file.columns(0).values match {
    case block: Fixed64Block =>
      val at = block.extend(rows)
      var i = 0
      while (i < rows) { block.values(at + i) = LittleEndian.long(ids, from + 8 * i); i += 1 }
    case other => throw new IllegalStateException(s"row ids in a ${other.getClass}")
  }

  private def appendFactors(column: Column, codes: Array[Byte], from: Int, rows: Int): Unit =
    column.values match {
      case block: Fixed32Block =>
        val at = block.extend(rows)
        var i = 0
        while (i < rows) { block.values(at + i) = LittleEndian.int(codes, from + i * width); i += 1 }
      case other => throw new IllegalStateException(s"floats in a ${other.getClass}")
    }

  private def appendCodes(lists: FixedSizeListBlock, codes: Array[Byte], from: Int, rows: Int): Unit = {
    val n = rows * lists.dimension
    var i = 0
    lists.items match {
      case block: Fixed8Block =>
        val at = block.extend(n)
        if (codeWidth == width) System.arraycopy(codes, from, block.values, at, n)
        else
          while (i < rows) {
            System.arraycopy(codes, from + i * width, block.values, at + i * codeWidth, codeWidth)
            i += 1
          }
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
}

private object StoredRowsFile {
  final private val RowsAtOnce = 8192
}
