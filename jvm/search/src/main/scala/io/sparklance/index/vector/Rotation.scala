package io.sparklance.index.vector

import java.util.SplittableRandom

/** A rotation of vectors, which spreads the differences of vectors evenly over their items. Four rounds each
  * flip the signs of some items and mix all by a Walsh-Hadamard transform. If the number of items is no power
  * of two, the transform covers the first or the last items in turns, and a sweep over both halves follows.
  *
  * @param signs
  *   for each round a bit for each item, the lowest first: whether to flip it
  */
final private[vector] case class Rotation(dimension: Int, signs: Array[Byte]) {
  private val window = Integer.highestOneBit(dimension)
  private val scale = 1f / math.sqrt(window.toDouble).toFloat

  def apply(vector: Array[Float]): Array[Float] = {
    val out = vector.clone()
    rotate(out, 0)
    out
  }

  /** Rotates the vector at `at` in place. */
  def rotate(values: Array[Float], at: Int): Unit = {
    var round = 0
    while (round < Rotation.Rounds) {
      flip(values, at, round)
      val from = if (round % 2 == 0) at else at + dimension - window
      mix(values, from)
      var i = 0
      while (i < window) { values(from + i) *= scale; i += 1 }
      if (window != dimension) pair(values, at, dimension / 2)
      round += 1
    }
    if (window != dimension) {
      var i = 0
      while (i < dimension) { values(at + i) *= 0.25f; i += 1 }
    }
  }

  private def flip(values: Array[Float], at: Int, round: Int): Unit = {
    val first = round * Rotation.bytes(dimension)
    var i = 0
    while (i < dimension) {
      if ((signs(first + (i >> 3)) >> (i & 7) & 1) != 0) values(at + i) = -values(at + i)
      i += 1
    }
  }

  private def mix(values: Array[Float], from: Int): Unit = {
    var half = 1
    while (half < window) {
      var block = from
      while (block < from + window) {
        pair(values, block, half)
        block += 2 * half
      }
      half *= 2
    }
  }

  /** Puts sums of the items of two neighboring halves to the first and differences to the second. */
  private def pair(values: Array[Float], at: Int, half: Int): Unit = {
    var i = at
    while (i < at + half) {
      val (x, y) = (values(i), values(i + half))
      values(i) = x + y
      values(i + half) = x - y
      i += 1
    }
  }
}

private[vector] object Rotation {
  final val Rounds = 4

  final private val Seed = 42L

  /** Returns the rotation by random signs that all indices of such vectors have. */
  def random(dimension: Int): Rotation = {
    val signs = new Array[Byte](Rounds * bytes(dimension))
    new SplittableRandom(Seed).nextBytes(signs)
    Rotation(dimension, signs)
  }

  /** Bytes of the signs of a round. */
  def bytes(dimension: Int): Int = (dimension + 7) / 8
}
