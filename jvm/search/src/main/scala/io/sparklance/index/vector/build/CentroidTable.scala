package io.sparklance.index.vector.build

/** Finds the nearest of some centroids for many vectors.
  *
  * The centroids are transposed, in blocks: for each dimension an array with the numbers of a block's
  * centroids. A pass over four of these arrays adds to the scores of all centroids of the block. Such loops
  * over elements are what C2 turns into vector instructions; sums over the numbers of one vector are not. A
  * pass over eight arrays is too long for it, and so is a fused multiply-add where processors lack one.
  *
  * A score is |c|² − 2x·c, which orders centroids as |x − c|² does, or −x·c. The mean of the centroids is
  * taken from both sides first, because distant vectors would lose the digits in which they differ.
  *
  * Belongs to one thread.
  *
  * @param centroids
  *   one after the other
  * @param byProduct
  *   whether the nearest has the greatest dot product, instead of the least distance
  */
final private[build] class CentroidTable(
    centroids: Array[Float],
    count: Int,
    dimension: Int,
    byProduct: Boolean
) extends Assigner {
  require(count > 0 && centroids.length == count * dimension, s"$count centroids of $dimension numbers")

  private val mean =
    if (byProduct) new Array[Float](dimension) else CentroidTable.mean(centroids, count, dimension)
  private val blocks = Array.tabulate((count + CentroidTable.Lanes - 1) / CentroidTable.Lanes) { i =>
    val first = i * CentroidTable.Lanes
    new CentroidBlock(centroids, first, math.min(CentroidTable.Lanes, count - first), mean, byProduct)
  }
  private val scores = new Array[Float](CentroidTable.Lanes)
  private val shifted = new Array[Float](dimension)

  def nearest(vectors: Array[Float], from: Int, rows: Int, out: Array[Int], distances: Array[Float]): Unit = {
    java.util.Arrays.fill(distances, 0, rows, Float.PositiveInfinity)
    java.util.Arrays.fill(out, 0, rows, 0)
    var b = 0
    while (b < blocks.length) {
      val block = blocks(b)
      val first = b * CentroidTable.Lanes
      var row = 0
      while (row < rows) {
        shift(vectors, (from + row) * dimension)
        block.score(shifted, scores)
        val best = CentroidTable.least(scores, block.count)
        if (scores(best) < distances(row)) {
          distances(row) = scores(best)
          out(row) = first + best
        }
        row += 1
      }
      b += 1
    }
    finish(vectors, from, rows, distances)
  }

  /** Turns the least scores to distances. */
  private def finish(vectors: Array[Float], from: Int, rows: Int, distances: Array[Float]): Unit = {
    var row = 0
    while (row < rows) {
      if (byProduct) distances(row) += 1f
      else {
        shift(vectors, (from + row) * dimension)
        distances(row) = math.max(0f, distances(row) + CentroidTable.square(shifted))
      }
      row += 1
    }
  }

  private def shift(vectors: Array[Float], at: Int): Unit = {
    var i = 0
    while (i < dimension) { shifted(i) = vectors(at + i) - mean(i); i += 1 }
  }
}

private[build] object CentroidTable {

  /** Centroids of a block: with 128 dimensions it takes a part of a core's second cache. */
  final val Lanes = 256

  private def mean(centroids: Array[Float], count: Int, dimension: Int): Array[Float] = {
    val sums = new Array[Double](dimension)
    var i = 0
    while (i < centroids.length) { sums(i % dimension) += centroids(i); i += 1 }
    sums.map(sum => (sum / count).toFloat)
  }

  private[build] def square(vector: Array[Float]): Float = {
    var s0, s1, s2, s3 = 0f
    var i = 0
    while (i + 3 < vector.length) {
      s0 += vector(i) * vector(i)
      s1 += vector(i + 1) * vector(i + 1)
      s2 += vector(i + 2) * vector(i + 2)
      s3 += vector(i + 3) * vector(i + 3)
      i += 4
    }
    while (i < vector.length) { s0 += vector(i) * vector(i); i += 1 }
    s0 + s1 + (s2 + s3)
  }

  /** Index of the least of the first `n` scores; the first of equal ones, 0 if all are NaN. */
  private[build] def least(scores: Array[Float], n: Int): Int = {
    var best = 0
    var least = Float.PositiveInfinity
    var i = 0
    while (i < n) {
      val score = scores(i)
      if (score < least) { least = score; best = i }
      i += 1
    }
    best
  }
}

/** Some centroids, transposed. */
final private[build] class CentroidBlock(
    centroids: Array[Float],
    first: Int,
    val count: Int,
    mean: Array[Float],
    byProduct: Boolean
) {
  private val dimension = mean.length

  /** Number of centroids, rounded up for whole vector instructions. */
  private val lanes = (count + 15) / 16 * 16
  private val rows = Array.ofDim[Float](dimension, lanes)
  private val base = new Array[Float](lanes)

  {
    val factor = if (byProduct) -1f else -2f
    var c = 0
    while (c < count) {
      var square = 0.0
      var j = 0
      while (j < dimension) {
        val number = centroids((first + c) * dimension + j) - mean(j)
        rows(j)(c) = factor * number
        square += number.toDouble * number
        j += 1
      }
      if (!byProduct) base(c) = square.toFloat
      c += 1
    }
  }

  /** Computes the scores of a vector, whose mean was subtracted. */
  def score(vector: Array[Float], scores: Array[Float]): Unit = {
    System.arraycopy(base, 0, scores, 0, lanes)
    var j = 0
    while (j + 3 < dimension) {
      addFour(scores, rows(j), rows(j + 1), rows(j + 2), rows(j + 3), vector, j)
      j += 4
    }
    while (j < dimension) { addOne(scores, rows(j), vector(j)); j += 1 }
  }

  private def addFour(
      scores: Array[Float],
      r0: Array[Float],
      r1: Array[Float],
      r2: Array[Float],
      r3: Array[Float],
      vector: Array[Float],
      at: Int
  ): Unit = {
    val (x0, x1, x2, x3) = (vector(at), vector(at + 1), vector(at + 2), vector(at + 3))
    val n = lanes
    var i = 0
    while (i < n) {
      scores(i) += (x0 * r0(i) + x1 * r1(i)) + (x2 * r2(i) + x3 * r3(i))
      i += 1
    }
  }

  private def addOne(scores: Array[Float], row: Array[Float], x: Float): Unit = {
    val n = lanes
    var i = 0
    while (i < n) { scores(i) += x * row(i); i += 1 }
  }
}
