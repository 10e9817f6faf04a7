package io.sparklance.index.vector.graph

import java.util.Arrays

import io.sparklance.vector.RowKernels

/** The vectors among which a graph is built. */
sealed private[vector] trait NodeSpace {

  /** Number of vectors. */
  def size: Int

  /** Returns a view for one thread. */
  def view(): NodeView

  /** Whether two nodes have the same vector. */
  def areEqual(a: Int, b: Int): Boolean

  /** Hash of a node's vector. */
  def hash(node: Int): Int
}

/** Distances from one node at a time. Belongs to one thread. */
private[vector] trait NodeView {

  /** Chooses the node from which distances are computed. */
  def choose(node: Int): Unit

  def apply(node: Int): Float
}

private[vector] object NodeSpace {

  /** Vectors of numbers.
    *
    * @param byProduct
    *   whether the distance is 1 minus the dot product, instead of the squared difference
    */
  final class Floats(values: Array[Float], dimension: Int, byProduct: Boolean) extends NodeSpace {
    val size: Int = values.length / dimension

    def view(): NodeView = new NodeView {
      private val own = new Array[Float](dimension)
      def choose(node: Int): Unit = System.arraycopy(values, node * dimension, own, 0, dimension)
      def apply(node: Int): Float =
        if (byProduct) 1f - RowKernels.product(values, node * dimension, own)
        else RowKernels.squaredDifference(values, node * dimension, own)
    }

    def areEqual(a: Int, b: Int): Boolean = Arrays.equals(
      values,
      a * dimension,
      (a + 1) * dimension,
      values,
      b * dimension,
      (b + 1) * dimension
    )

    def hash(node: Int): Int = {
      var hash = 1
      var i = node * dimension
      while (i < (node + 1) * dimension) {
        hash = 31 * hash + java.lang.Float.floatToIntBits(values(i))
        i += 1
      }
      hash
    }
  }

  /** Vectors of bits, compared by the number of different ones. */
  final class Bits(values: Array[Byte], width: Int) extends NodeSpace {
    val size: Int = values.length / width

    def view(): NodeView = new NodeView {
      private val own = new Array[Byte](width)
      def choose(node: Int): Unit = System.arraycopy(values, node * width, own, 0, width)
      def apply(node: Int): Float = RowKernels.differentBits(values, node * width, own).toFloat
    }

    def areEqual(a: Int, b: Int): Boolean =
      Arrays.equals(values, a * width, (a + 1) * width, values, b * width, (b + 1) * width)

    def hash(node: Int): Int = {
      var hash = 1
      var i = node * width
      while (i < (node + 1) * width) { hash = 31 * hash + values(i); i += 1 }
      hash
    }
  }
}

/** Vectors of unsigned bytes, compared by squared differences, or by 1 minus the dot products of the numbers
  * that the bytes stand for.
  *
  * Three bytes are in a number of 64 bits, 21 bits apart. If those of the other vector are in reverse order,
  * bits 42 to 62 of the product of two such numbers have the sum of the products of the three:
  * {{{
  * (a0 + a1 x + a2 x²) · (b2 + b1 x + b0 x²) = … + (a0 b0 + a1 b1 + a2 b2) x² + …      x = 2^21
  * }}}
  * Ten products can be added before these bits are full. That is a third of the multiplications, and no
  * conversions of bytes, which C2 does not vectorise.
  *
  * @param step
  *   what a byte counts; by products, bytes count from `base` on
  * @param byProduct
  *   whether vectors are compared by dot products
  */
final private[vector] class PackedBytes(
    codes: Array[Byte],
    dimension: Int,
    step: Float,
    base: Float,
    byProduct: Boolean
) extends NodeSpace {
  import PackedBytes._

  val size: Int = codes.length / dimension
  private val width = (dimension + Together - 1) / Together
  private val packed = new Array[Long](Math.multiplyExact(size, width))
  // Sums of the squares of bytes, or of the bytes.
  private val sums = new Array[Long](size)

  {
    var node = 0
    while (node < size) {
      var sum = 0L
      var i = 0
      while (i < dimension) {
        val byte = (codes(node * dimension + i) & 0xff).toLong
        packed(node * width + i / Together) |= byte << Apart * (i % Together)
        sum += (if (byProduct) byte else byte * byte)
        i += 1
      }
      sums(node) = sum
      node += 1
    }
  }

  def view(): NodeView = new NodeView {
    private val reversed = new Array[Long](width)
    private var ownSum = 0L

    def choose(node: Int): Unit = {
      var i = 0
      while (i < width) {
        val three = packed(node * width + i)
        reversed(i) = (three & Field) << 2 * Apart | three & Field << Apart | three >>> 2 * Apart
        i += 1
      }
      ownSum = sums(node)
    }

    def apply(node: Int): Float = {
      val product = PackedBytes.product(packed, node * width, reversed)
      if (byProduct)
        1f - (dimension * base * base + base * step * (ownSum + sums(node)) + step * step * product)
      else (ownSum + sums(node) - 2 * product).toFloat * (step * step)
    }
  }

  def areEqual(a: Int, b: Int): Boolean =
    Arrays.equals(packed, a * width, (a + 1) * width, packed, b * width, (b + 1) * width)

  def hash(node: Int): Int = {
    var hash = 1
    var i = node * width
    while (i < (node + 1) * width) { hash = 31 * hash + java.lang.Long.hashCode(packed(i)); i += 1 }
    hash
  }
}

private object PackedBytes {
  final val Together = 3
  final val Apart = 21
  final val Field = (1L << Apart) - 1

  /** Products that can be added without an overflow. */
  final private val Addable = 10

  private def product(packed: Array[Long], at: Int, reversed: Array[Long]): Long = {
    val n = reversed.length
    var sum = 0L
    var i = 0
    while (i < n) {
      val end = math.min(i + Addable, n)
      var some = 0L
      while (i < end) { some += packed(at + i) * reversed(i); i += 1 }
      sum += some >>> 2 * Apart & Field
    }
    sum
  }
}
