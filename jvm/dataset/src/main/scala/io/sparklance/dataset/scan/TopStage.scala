package io.sparklance.dataset.scan

import io.sparklance.dataset.order.TopBound
import io.sparklance.dataset.predicate.LeafValues

/** Drops rows of a fragment that cannot be among the first of an order. It is the last of all filters: a row
  * that another filter drops must displace none.
  *
  * @param values
  *   of the order's leaf
  * @param first
  *   the position in `values` from which positions count
  */
final private class TopStage(bound: TopBound, values: LeafValues, first: => Int, batchRows: Int) {
  private val ranks = new Array[Long](batchRows)
  private val kept = new Array[Int](batchRows)
  private val places = new Array[Int](batchRows)
  private var outdone = 0L

  /** Number of dropped rows. */
  def dropped: Long = outdone

  /** Drops found rows that later ones have displaced. */
  def recheck(found: PendingRows): Unit =
    found.parts.find(_.leaf.field.id == bound.order.leaf.field.id).foreach { part =>
      val count = found.count
      val at = Array.range(found.head, found.head + count)
      val ranks = new Array[Long](count)
      bound.order.ranks(LeafValues.of(part.column), at, count, ranks)
      val kept = Array.range(0, count).filter(i => bound.keeps(ranks(i)))
      if (kept.length < count) {
        found.retain(kept, kept.length)
        outdone += count - kept.length
      }
    }

  /** Keeps those of the ascending `positions[0 until count]` that may be among the first. Each row is shown
    * once. Returns their number.
    */
  def narrow(positions: Array[Int], count: Int): Int = {
    val base = first
    var i = 0
    while (i < count) { places(i) = base + positions(i); i += 1 }
    bound.order.ranks(values, places, count, ranks)
    val n = bound.narrow(ranks, count, kept)
    i = 0
    while (i < n) { positions(i) = positions(kept(i)); i += 1 }
    outdone += count - n
    n
  }
}
