package io.sparklance.vector

/** Rows near a query, the nearest first, of equal distances by address.
  *
  * @param distances
  *   parallel to `addresses`
  */
final private[sparklance] case class Neighbors(addresses: Array[Long], distances: Array[Float]) {
  def size: Int = addresses.length
}

private[sparklance] object Neighbors {
  val none: Neighbors = Neighbors(Array.emptyLongArray, Array.emptyFloatArray)

  /** Returns the `k` nearest rows of several answers to one query. */
  def nearest(k: Int, answers: Iterator[Neighbors], nans: NanRank = NanRank.Out): Neighbors = {
    val heap = new NearestHeap(k, nans)
    answers.foreach(heap.offer)
    heap.drain()
  }
}
