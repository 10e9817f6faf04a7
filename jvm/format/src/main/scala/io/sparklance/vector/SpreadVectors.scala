package io.sparklance.vector

import io.sparklance.data.{DataBlock, Fixed32Block}

/** Some vectors of a batch, with their items transposed as [[FloatKernels]] wants them. Belongs to one
  * thread.
  *
  * @param capacity
  *   number of vectors that it holds
  */
final private[vector] class SpreadVectors(dimension: Int, capacity: Int, values: FloatItems) {
  private val some = new Array[Float](FloatKernels.Together * dimension)

  /** Number of vectors for which there are items, in groups of [[FloatKernels.Together]]. */
  val room: Int = (capacity + FloatKernels.Together - 1) / FloatKernels.Together * FloatKernels.Together

  /** The vectors' first items, then their second ones, and so on. */
  val items: Array[Array[Float]] = Array.fill(dimension)(new Array[Float](room))

  /** Copies the items of vectors `[first, first + rows)` of a block. */
  def load(from: DataBlock, first: Int, rows: Int): Unit = {
    var row = 0
    while (row < rows) {
      // After the last vector come items of earlier ones, which nobody asks for.
      val together = math.min(FloatKernels.Together, rows - row)
      val at = (first + row) * dimension
      from match {
        case block: Fixed32Block if together == FloatKernels.Together =>
          FloatKernels.spreadBits(block.values, at, items, row)
        case _ =>
          values.copy(from, at, together * dimension, some)
          FloatKernels.spread(some, items, row)
      }
      row += together
    }
  }
}
