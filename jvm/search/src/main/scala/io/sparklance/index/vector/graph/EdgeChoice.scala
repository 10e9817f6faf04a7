package io.sparklance.index.vector.graph

import java.util.Arrays

/** Chooses edges of a node from candidates: the nearest first, each that is nearer to the node than to all
  * chosen before, so that edges lead to all directions. If these are too few, the nearest of the others
  * follow. Belongs to one thread.
  */
final private[graph] class EdgeChoice(view: NodeView) {
  private var order = Array.emptyLongArray
  private var left = Array.emptyIntArray

  /** The chosen nodes, after a call. */
  var nodes: Array[Int] = Array.emptyIntArray

  /** Their distances. */
  var distances: Array[Float] = Array.emptyFloatArray

  /** Returns the number of edges, at most `most`.
    *
    * @param candidates
    *   each once
    * @param n
    *   number of candidates
    */
  def run(candidates: Array[Int], far: Array[Float], n: Int, most: Int): Int = {
    reserve(n)
    var i = 0
    while (i < n) { order(i) = EdgeChoice.sortable(far(i)) << 32 | i; i += 1 }
    Arrays.sort(order, 0, n)
    var (chosen, passed) = (0, 0)
    i = 0
    while (i < n && chosen < most) {
      val at = order(i).toInt
      if (n <= most || isDiverse(candidates(at), far(at), chosen)) {
        nodes(chosen) = candidates(at)
        distances(chosen) = far(at)
        chosen += 1
      } else {
        left(passed) = at
        passed += 1
      }
      i += 1
    }
    i = 0
    while (chosen < most && i < passed) {
      nodes(chosen) = candidates(left(i))
      distances(chosen) = far(left(i))
      chosen += 1
      i += 1
    }
    chosen
  }

  private def isDiverse(node: Int, distance: Float, chosen: Int): Boolean = chosen == 0 || {
    view.choose(node)
    var i = 0
    while (i < chosen && distance < view(nodes(i))) i += 1
    i == chosen
  }

  private def reserve(n: Int): Unit = if (order.length < n) {
    order = new Array[Long](n)
    left = new Array[Int](n)
    nodes = new Array[Int](n)
    distances = new Array[Float](n)
  }
}

private object EdgeChoice {

  /** Returns a number of the same order as the float, in the lower half. */
  private def sortable(distance: Float): Long = {
    val bits = java.lang.Float.floatToIntBits(distance)
    (bits ^ ((bits >> 31) & Int.MaxValue)).toLong
  }
}
