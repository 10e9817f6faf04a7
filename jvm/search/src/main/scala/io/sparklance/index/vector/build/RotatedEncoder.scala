package io.sparklance.index.vector.build

import io.sparklance.data.{DataBlock, LittleEndian}
import io.sparklance.index.vector.Quantizer
import io.sparklance.vector.Metric

/** Signs of the items of rotated differences from the centroids, and what estimates distances from them:
  * {{{
  * u8 × items / 8   a set bit for each item that is not negative, the lowest bit first
  * f32              summand
  * f32              factor
  * f32              bound of the error, as a share of the distance of a query from the centroid
  * }}}
  * With the rotated difference r, its signs b of 1/2 and -1/2, and the rotated centroid c, the summand is |r|²
  * + 2 |r|² (c · b) / (r · b), and the factor -2 |r|² / (r · b). For dot products they are half of that, and
  * the summand begins with 1 - r · c instead.
  */
final private[build] class RotatedEncoder(quantizer: Quantizer.Rotated, model: IvfModel)
    extends VectorEncoder {
  private val dimension = model.dimension
  private val isDot = model.metric == Metric.Dot
  private val rotated = new Array[Float](dimension)
  private val centroids = {
    val all = model.centroids.clone()
    (0 until model.partitions).foreach(p => quantizer.rotation.rotate(all, p * dimension))
    all
  }

  val width: Int = quantizer.signWidth + RotatedEncoder.Factors

  def encode(
      batch: VectorBatch,
      vectors: Array[Float],
      from: Int,
      count: Int,
      items: DataBlock,
      out: Array[Byte],
      nearest: Array[Int]
  ): Unit = {
    java.util.Arrays.fill(out, 0, count * width, 0.toByte)
    var i = 0
    while (i < count) {
      System.arraycopy(vectors, i * dimension, rotated, 0, dimension)
      quantizer.rotation.rotate(rotated, 0)
      encode(nearest(i) * dimension, out, i * width)
      i += 1
    }
  }

  private def encode(centroid: Int, out: Array[Byte], at: Int): Unit = {
    var square, own, across, product = 0.0
    var j = 0
    while (j < dimension) {
      val x = rotated(j).toDouble
      val c = centroids(centroid + j).toDouble
      val sign = if (java.lang.Float.floatToRawIntBits(rotated(j)) >= 0) 0.5 else -0.5
      if (sign > 0) out(at + (j >> 3)) = (out(at + (j >> 3)) | 1 << (j & 7)).toByte
      square += x * x
      own += x * sign
      across += c * sign
      product += x * c
      j += 1
    }
    val share = if (own == 0) 0.0 else square / own
    val times = if (isDot) 1 else 2
    val first = if (isDot) 1 - product else square
    put(out, at, 0, first + times * share * across)
    put(out, at, 1, -times * share)
    put(out, at, 2, times * error(square, own))
  }

  private def error(square: Double, own: Double): Double =
    if (dimension <= 1 || square <= 0 || own == 0) 0
    else {
      val excess = math.max(0.0, square * dimension * 0.25 / (own * own) - 1)
      math.sqrt(square) * RotatedEncoder.ErrorFactor * math.sqrt(excess / (dimension - 1))
    }

  private def put(out: Array[Byte], at: Int, factor: Int, number: Double): Unit =
    LittleEndian.putInt(
      out,
      at + quantizer.signWidth + 4 * factor,
      java.lang.Float.floatToRawIntBits(number.toFloat)
    )
}

private[build] object RotatedEncoder {

  /** Bytes of the three numbers after the signs. */
  final val Factors = 12

  /** Errors beyond which the reference leaves rows out. */
  final private val ErrorFactor = 1.9
}
