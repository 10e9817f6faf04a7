package io.sparklance.index.text

import scala.collection.mutable

import io.sparklance.vector.{NearestHeap, Neighbors}

/** Takes rows that match, with their scores. */
sealed abstract private[text] class FoundTexts {

  /** Whether only the rows with the greatest scores are wanted. */
  def isRanked: Boolean

  /** Rows with lower scores are not wanted. */
  def least: Float

  /** Whether a row is wanted. */
  def takes(address: Long, score: Float): Boolean
  def add(address: Long, score: Float): Unit
}

/** Takes all rows. */
final private[text] class AllTexts extends FoundTexts {
  private var addresses = new Array[Long](16)
  private var scores = new Array[Float](16)
  private var count = 0

  def isRanked: Boolean = false
  def least: Float = Float.NegativeInfinity
  def takes(address: Long, score: Float): Boolean = true

  def add(address: Long, score: Float): Unit = {
    if (count == addresses.length) {
      addresses = java.util.Arrays.copyOf(addresses, 2 * count)
      scores = java.util.Arrays.copyOf(scores, 2 * count)
    }
    addresses(count) = address
    scores(count) = score
    count += 1
  }

  /** Returns the scores by address. */
  def rows: mutable.LongMap[Float] = {
    val rows = new mutable.LongMap[Float](math.max(16, count))
    var i = 0
    while (i < count) { rows.update(addresses(i), scores(i)); i += 1 }
    rows
  }
}

/** Keeps the rows with the greatest scores, of equal ones those with the lowest addresses. */
final private[text] class BestTexts(limit: Int) extends FoundTexts {
  private val heap = new NearestHeap(math.max(1, limit))

  def isRanked: Boolean = true
  def least: Float = -heap.bound
  def takes(address: Long, score: Float): Boolean = heap.takes(-score, address)
  def add(address: Long, score: Float): Unit = heap.offer(-score, address)

  def answer(): TextAnswer = {
    val found = if (limit > 0) heap.drain() else Neighbors.none
    TextAnswer(found.addresses, found.distances.map(-_))
  }
}
