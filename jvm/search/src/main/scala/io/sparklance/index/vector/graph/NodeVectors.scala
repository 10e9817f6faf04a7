package io.sparklance.index.vector.graph

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, Fixed64Block, Fixed8Block}
import io.sparklance.vector.{FloatItems, VectorItem}

/** The stored vectors of a graph's nodes, one after the other, in arrays that a walk reads at any place. */
sealed private[vector] trait NodeVectors {
  def weight: Long
}

private[vector] object NodeVectors {

  /** Numbers of up to 32 bits. */
  final case class Floats(values: Array[Float]) extends NodeVectors {
    def weight: Long = 4L * values.length
  }

  final case class Doubles(values: Array[Double]) extends NodeVectors {
    def weight: Long = 8L * values.length
  }

  /** Codes of a quantizer, or bits. */
  final case class Bytes(values: Array[Byte]) extends NodeVectors {
    def weight: Long = values.length.toLong
  }

  /** Returns whole vectors.
    *
    * @param items
    *   of all vectors
    */
  def whole(items: DataBlock, item: VectorItem): NodeVectors = items match {
    case block: Fixed64Block =>
      Doubles(Array.tabulate(block.length)(i => java.lang.Double.longBitsToDouble(block.values(i))))
    case block if item == VectorItem.UInt8 => codes(block)
    case block =>
      val out = new Array[Float](block.length)
      FloatItems.of(item).copy(block, 0, out.length, out)
      Floats(out)
  }

  def codes(items: DataBlock): Bytes = items match {
    case block: Fixed8Block => Bytes(java.util.Arrays.copyOf(block.values, block.length))
    case other => throw new LanceFormatException(s"codes in a ${other.getClass.getSimpleName}")
  }

  /** Returns the codes row by row of a partition that has all first bytes first.
    *
    * @param width
    *   bytes of a vector
    */
  def rows(transposed: Bytes, width: Int): Bytes = {
    val n = if (width == 0) 0 else transposed.values.length / width
    val out = new Array[Byte](transposed.values.length)
    var b = 0
    while (b < width) {
      var i = 0
      while (i < n) { out(i * width + b) = transposed.values(b * n + i); i += 1 }
      b += 1
    }
    Bytes(out)
  }
}
