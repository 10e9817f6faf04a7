package io.sparklance.index.vector

import java.util.Arrays

import io.sparklance.vector.Metric

/** The partitions of a segment in the order in which a query looks at them.
  *
  * @param partitions
  *   those that it may look at
  * @param first
  *   number of those that it looks at in any case
  */
final private[vector] case class PartitionOrder(partitions: Array[Int], first: Int)

private[vector] object PartitionOrder {

  /** @param distances
    *   of the centroids from the query
    * @param k
    *   number of rows to find
    */
  def of(distances: Array[Float], metric: Metric, k: Int, probes: Probes): PartitionOrder = {
    val n = distances.length
    val keys = new Array[Long](n)
    var i = 0
    while (i < n) { keys(i) = (sortable(distances(i)).toLong << 32) | i; i += 1 }
    Arrays.sort(keys)
    val order = new Array[Int](n)
    val ascending = new Array[Float](n)
    i = 0
    while (i < n) {
      order(i) = keys(i).toInt
      ascending(i) = distances(order(i))
      i += 1
    }
    val most = math.min(probes.most.getOrElse(n), n)
    PartitionOrder(Arrays.copyOf(order, most), Probes.first(probes, ascending, metric, k))
  }

  /** Returns a number of the same order as the float; NaN is last. */
  private def sortable(distance: Float): Int = {
    val bits = java.lang.Float.floatToIntBits(distance)
    bits ^ ((bits >> 31) & Int.MaxValue)
  }
}
