package io.sparklance.vector

import java.util.Arrays

/** The `k` nearest of the rows that it is offered, of equal distances those with the lowest addresses. A heap
  * with the farthest row on top, in arrays that grow with the rows.
  */
final private[sparklance] class NearestHeap(k: Int, nans: NanRank = NanRank.Out) {
  require(k > 0, s"the $k nearest rows")
  private var distances = new Array[Float](math.min(k, NearestHeap.FirstRoom))
  private var addresses = new Array[Long](math.min(k, NearestHeap.FirstRoom))
  private var count = 0

  /** Number of rows. */
  def size: Int = count

  /** The greatest distance with which a row may still be one of the nearest. */
  def bound: Float =
    if (count < k) Float.PositiveInfinity
    else if (!distances(0).isNaN) distances(0)
    else if (nans == NanRank.First) Float.NegativeInfinity
    else Float.PositiveInfinity

  /** Whether a row would be one of the nearest. */
  def takes(distance: Float, address: Long): Boolean =
    count < k || isNearer(distance, address, distances(0), addresses(0))

  /** Takes a row if it is one of the nearest. */
  def offer(distance: Float, address: Long): Unit =
    if (!distance.isNaN || nans != NanRank.Out) {
      if (count < k) {
        if (count == distances.length) grow()
        count += 1
        rise(count - 1, distance, address)
      } else if (isNearer(distance, address, distances(0), addresses(0)))
        sink(0, distance, address)
    }

  /** Takes the rows of others. */
  def offer(rows: Neighbors): Unit = {
    var i = 0
    while (i < rows.size) { offer(rows.distances(i), rows.addresses(i)); i += 1 }
  }

  /** Returns the rows, the nearest first, and forgets them. */
  def drain(): Neighbors = {
    val n = count
    val (near, at) = (new Array[Float](n), new Array[Long](n))
    while (count > 0) {
      val last = count - 1
      near(last) = distances(0)
      at(last) = addresses(0)
      count = last
      if (last > 0) sink(0, distances(last), addresses(last))
    }
    Neighbors(at, near)
  }

  private def isNearer(distance: Float, address: Long, than: Float, other: Long): Boolean =
    distance < than || (distance == than && address < other) ||
      ((distance.isNaN || than.isNaN) && isNearerNan(distance, address, than, other))

  private def isNearerNan(distance: Float, address: Long, than: Float, other: Long): Boolean =
    if (distance.isNaN && than.isNaN) address < other
    else if (nans == NanRank.First) distance.isNaN
    else than.isNaN

  private def grow(): Unit = {
    val room = math.min(k.toLong, 2L * count).toInt
    distances = Arrays.copyOf(distances, room)
    addresses = Arrays.copyOf(addresses, room)
  }

  /** Puts a row at a place or above it. */
  private def rise(place: Int, distance: Float, address: Long): Unit = {
    var at = place
    var parent = (at - 1) >> 1
    while (at > 0 && isNearer(distances(parent), addresses(parent), distance, address)) {
      distances(at) = distances(parent)
      addresses(at) = addresses(parent)
      at = parent
      parent = (at - 1) >> 1
    }
    distances(at) = distance
    addresses(at) = address
  }

  /** Puts a row at a place or below it. */
  private def sink(place: Int, distance: Float, address: Long): Unit = {
    var at = place
    var child = farther(at)
    while (child > 0 && isNearer(distance, address, distances(child), addresses(child))) {
      distances(at) = distances(child)
      addresses(at) = addresses(child)
      at = child
      child = farther(at)
    }
    distances(at) = distance
    addresses(at) = address
  }

  /** Returns the place of the farther child, or -1. */
  private def farther(place: Int): Int = {
    val left = 2 * place + 1
    val right = left + 1
    if (left >= count || left < 0) -1
    else if (
      right < count &&
      isNearer(distances(left), addresses(left), distances(right), addresses(right))
    ) right
    else left
  }
}

private object NearestHeap {
  final private val FirstRoom = 64
}
