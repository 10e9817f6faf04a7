package io.sparklance.dataset.scan

import io.sparklance.dataset.order.TopBound
import io.sparklance.dataset.predicate.LeafValues

/** Leaves of the batches of a fragment the rows that may be among the first of an order; the last of all
  * filters, since a row that another one drops must drive out none.
  *
  * Of a batch that is cut short the rows behind the cut come again. What was found of these stays, though
  * better ones may have been seen since: other columns hold them already, and rows must not count twice.
  *
  * @param values
  *   of the order's leaf
  */
final private class TopStage(bound: TopBound, values: => LeafValues, batchRows: Int) {
  private val ranks = new Array[Long](batchRows)
  private val found = new Array[Int](batchRows)
  private var foundCount = 0
  private var judged = 0
  private var outdone = 0L

  /** Indices of the remaining rows among the positions. */
  val kept = new Array[Int](batchRows)

  /** Returns how many of the next rows may be evaluated together. */
  def most: Int = if (judged > 0) judged else batchRows

  /** Number of dropped rows. */
  def dropped: Long = outdone

  /** Evaluates the rows at `positions[0 until count]`, which passed all other stages, among `end` rows.
    * Returns how many are [[kept]].
    */
  def narrow(positions: Array[Int], count: Int, end: Int): Int =
    if (judged > 0) recall(positions, count)
    else {
      bound.order.ranks(values, positions, count, ranks)
      foundCount = bound.narrow(ranks, count, kept)
      var i = 0
      while (i < foundCount) { found(i) = positions(kept(i)); i += 1 }
      judged = end
      outdone += count - foundCount
      foundCount
    }

  /** Called when the first `end` rows are done. */
  def pass(end: Int): Unit = {
    judged = math.max(0, judged - end)
    var left = 0
    var i = 0
    while (i < foundCount) {
      found(left) = found(i) - end
      if (found(left) >= 0) left += 1
      i += 1
    }
    foundCount = left
  }

  private def recall(positions: Array[Int], count: Int): Int = {
    var n = 0
    var i = 0
    while (i < count && n < foundCount) {
      kept(n) = i
      if (positions(i) == found(n)) n += 1
      i += 1
    }
    n
  }
}
