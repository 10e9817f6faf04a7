package io.sparklance.index.vector.build

import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  Halves,
  LittleEndian
}
import io.sparklance.index.vector.Quantizer

/** Encodes vectors in the form in which an index stores them. Belongs to one thread. */
abstract private[build] class VectorEncoder {

  /** Bytes of a vector. */
  def width: Int

  /** Encodes a tile of vectors, one after the other.
    *
    * @param vectors
    *   or their differences from the centroids
    * @param from
    *   number of the first one in the batch
    * @param items
    *   the stored items of the batch
    * @param nearest
    *   numbers of the centroids
    */
  def encode(
      batch: VectorBatch,
      vectors: Array[Float],
      from: Int,
      count: Int,
      items: DataBlock,
      out: Array[Byte],
      nearest: Array[Int]
  ): Unit
}

private[build] object VectorEncoder {
  def of(model: IvfModel): VectorEncoder = model.quantizer match {
    case product: Quantizer.Product => new ProductEncoder(product, model.dimension)
    case scalar: Quantizer.Scalar => new ScalarEncoder(scalar, model.dimension)
    case Quantizer.Flat(_) => new FlatEncoder(model)
    case rotated: Quantizer.Rotated => new RotatedEncoder(rotated, model)
  }
}

/** Numbers of the nearest entries of the codebook. */
final private class ProductEncoder(quantizer: Quantizer.Product, dimension: Int) extends VectorEncoder {
  private val (parts, entries) = (quantizer.parts, quantizer.entries)
  private val size = dimension / parts
  private val tables = Array.tabulate(parts) { part =>
    val from = part * entries * size
    val entriesOfPart = java.util.Arrays.copyOfRange(quantizer.codebook, from, from + entries * size)
    new CentroidTable(entriesOfPart, entries, size, byProduct = false)
  }
  private var part = Array.emptyFloatArray
  private var codes = Array.emptyIntArray
  private var distances = Array.emptyFloatArray

  val width: Int = quantizer.width

  def encode(
      batch: VectorBatch,
      vectors: Array[Float],
      from: Int,
      count: Int,
      items: DataBlock,
      out: Array[Byte],
      nearest: Array[Int]
  ): Unit = {
    if (codes.length < count) {
      part = new Array[Float](count * size)
      codes = new Array[Int](count)
      distances = new Array[Float](count)
    }
    java.util.Arrays.fill(out, 0, count * width, 0.toByte)
    var p = 0
    while (p < parts) {
      var i = 0
      while (i < count) { System.arraycopy(vectors, i * dimension + p * size, part, i * size, size); i += 1 }
      tables(p).nearest(part, 0, count, codes, distances)
      if (quantizer.bits == 8) putBytes(p, count, out) else putNibbles(p, count, out)
      p += 1
    }
  }

  private def putBytes(p: Int, count: Int, out: Array[Byte]): Unit = {
    var i = 0
    while (i < count) { out(i * width + p) = codes(i).toByte; i += 1 }
  }

  /** The lower half of a byte belongs to the earlier part. */
  private def putNibbles(p: Int, count: Int, out: Array[Byte]): Unit = {
    var i = 0
    while (i < count) {
      val at = i * width + p / 2
      out(at) = (out(at) | codes(i) << 4 * (p % 2)).toByte
      i += 1
    }
  }
}

/** One of 256 numbers between two bounds for each item. */
final private class ScalarEncoder(quantizer: Quantizer.Scalar, dimension: Int) extends VectorEncoder {
  private val start = quantizer.start
  private val range = quantizer.end - start

  val width: Int = dimension

  def encode(
      batch: VectorBatch,
      vectors: Array[Float],
      from: Int,
      count: Int,
      items: DataBlock,
      out: Array[Byte],
      nearest: Array[Int]
  ): Unit = {
    val n = count * dimension
    var i = 0
    while (i < n) {
      val code = (vectors(i) - start) * 255 / range
      out(i) = (if (range == 0) 0 else math.max(0.0, math.min(255.0, code)).toInt).toByte
      i += 1
    }
  }
}

/** The vectors as the column stores them, for cosine scaled to length 1. */
final private class FlatEncoder(model: IvfModel) extends VectorEncoder {
  private val dimension = model.dimension
  private val itemBytes = model.itemBytes

  val width: Int = dimension * itemBytes

  def encode(
      batch: VectorBatch,
      vectors: Array[Float],
      from: Int,
      count: Int,
      items: DataBlock,
      out: Array[Byte],
      nearest: Array[Int]
  ): Unit = {
    var i = 0
    while (i < count) {
      val start = batch.places(from + i) * dimension
      if (model.isNormalized)
        scaled(items, start, batch.norms(from + i), vectors, i * dimension, out, i * width)
      else copy(items, start, out, i * width)
      i += 1
    }
  }

  private def copy(items: DataBlock, start: Int, out: Array[Byte], at: Int): Unit = {
    var i = 0
    items match {
      case block: Fixed32Block =>
        while (i < dimension) { LittleEndian.putInt(out, at + 4 * i, block.values(start + i)); i += 1 }
      case block: Fixed64Block =>
        while (i < dimension) { LittleEndian.putLong(out, at + 8 * i, block.values(start + i)); i += 1 }
      case block: Fixed16Block =>
        while (i < dimension) { LittleEndian.putShort(out, at + 2 * i, block.values(start + i)); i += 1 }
      case block: Fixed8Block => System.arraycopy(block.values, start, out, at, dimension)
      case other => throw new IllegalStateException(s"items of vectors in a ${other.getClass}")
    }
  }

  private def scaled(
      items: DataBlock,
      start: Int,
      norm: Double,
      vectors: Array[Float],
      from: Int,
      out: Array[Byte],
      at: Int
  ): Unit = {
    var i = 0
    items match {
      case _: Fixed32Block =>
        while (i < dimension) {
          LittleEndian.putInt(out, at + 4 * i, java.lang.Float.floatToRawIntBits(vectors(from + i)))
          i += 1
        }
      case block: Fixed64Block =>
        while (i < dimension) {
          val number = java.lang.Double.longBitsToDouble(block.values(start + i)) / norm
          LittleEndian.putLong(out, at + 8 * i, java.lang.Double.doubleToRawLongBits(number))
          i += 1
        }
      case _: Fixed16Block =>
        while (i < dimension) {
          LittleEndian.putShort(out, at + 2 * i, Halves.bits(vectors(from + i).toDouble).toShort)
          i += 1
        }
      case other => throw new IllegalStateException(s"directions of vectors in a ${other.getClass}")
    }
  }
}
