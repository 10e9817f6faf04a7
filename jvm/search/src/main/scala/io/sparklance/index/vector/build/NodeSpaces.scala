package io.sparklance.index.vector.build

import io.sparklance.data.{Halves, LittleEndian}
import io.sparklance.index.vector.Quantizer
import io.sparklance.index.vector.graph.{NodeSpace, PackedBytes}
import io.sparklance.vector.{Metric, VectorColumn, VectorItem}

/** Vectors among which the graph of a partition is built, from their stored form: the graph fits the
  * distances that searches compute.
  */
private[build] object NodeSpaces {

  def of(model: IvfModel, codes: Array[Byte]): NodeSpace = {
    val d = model.dimension
    model.quantizer match {
      case Quantizer.Flat(field) =>
        whole(model, VectorColumn.of(field).fold[VectorItem](VectorItem.Float32)(_.item), codes)
      case Quantizer.Scalar(start, end) =>
        new PackedBytes(codes, d, (end - start).toFloat / 255f, start.toFloat, model.metric == Metric.Dot)
      case product: Quantizer.Product =>
        new NodeSpace.Floats(decoded(product, codes, d), d, model.metric == Metric.Dot)
      case _: Quantizer.Rotated => throw new IllegalStateException("a graph of rotated vectors")
    }
  }

  /** Vectors for cosine have length 1, so 1 minus their dot product is the distance. */
  private def whole(model: IvfModel, item: VectorItem, codes: Array[Byte]): NodeSpace =
    if (model.metric == Metric.Hamming) new NodeSpace.Bits(codes, model.dimension)
    else {
      val number: Int => Float = item match {
        case VectorItem.Float16 => i => Halves.number(LittleEndian.unsignedShort(codes, 2 * i)).toFloat
        case VectorItem.BFloat16 =>
          i => java.lang.Float.intBitsToFloat(LittleEndian.short(codes, 2 * i) << 16)
        case VectorItem.Float32 => i => java.lang.Float.intBitsToFloat(LittleEndian.int(codes, 4 * i))
        case VectorItem.Float64 =>
          i => java.lang.Double.longBitsToDouble(LittleEndian.long(codes, 8 * i)).toFloat
        case VectorItem.Int8 => i => codes(i).toFloat
        case VectorItem.UInt8 => i => (codes(i) & 0xff).toFloat
      }
      val values = Array.tabulate(codes.length / item.bytes)(number)
      new NodeSpace.Floats(values, model.dimension, model.metric != Metric.L2)
    }

  /** The entries of the codebook that the codes name. */
  private def decoded(product: Quantizer.Product, codes: Array[Byte], d: Int): Array[Float] = {
    val size = d / product.parts
    val rows = codes.length / product.width
    val out = new Array[Float](Math.multiplyExact(rows, d))
    var row = 0
    while (row < rows) {
      var part = 0
      while (part < product.parts) {
        val code =
          if (product.bits == 8) codes(row * product.width + part) & 0xff
          else codes(row * product.width + part / 2) >> 4 * (part % 2) & 15
        System.arraycopy(
          product.codebook,
          (part * product.entries + code) * size,
          out,
          row * d + part * size,
          size
        )
        part += 1
      }
      row += 1
    }
    out
  }
}
