package io.sparklance.index.vector.graph

/** Gives every node of the lowest level a path from the entry point: searches find only such nodes. A node
  * without one gets an edge from its nearest neighbor that has one and room for it, or from any other node.
  */
final private[graph] class Linking(level: GrowingLevel, entry: Int, view: NodeView) {
  private val isReached = new Array[Boolean](level.rows)
  private val queue = new Array[Int](level.rows)
  private var nextWithRoom = 0

  def run(): Unit = {
    reach(entry)
    var left = (0 until level.rows).filterNot(isReached(_)).toArray
    var isChanged = true
    while (left.nonEmpty && isChanged) {
      isChanged = false
      left.foreach(node => if (!isReached(node) && linkFromNeighbor(node)) isChanged = true)
      left = left.filterNot(isReached(_))
    }
    left.foreach { node =>
      if (!isReached(node)) {
        while (!isReached(nextWithRoom) || level.isFull(nextWithRoom)) nextWithRoom += 1
        view.choose(nextWithRoom)
        level.add(nextWithRoom, node, view(node))
        reach(node)
      }
    }
  }

  private def linkFromNeighbor(node: Int): Boolean = {
    var best = -1
    var i = 0
    while (i < level.count(node)) {
      val other = level.edge(node, i)
      if (
        isReached(other) && !level.isFull(other) &&
        (best < 0 || level.length(node, i) < level.length(node, best))
      ) best = i
      i += 1
    }
    if (best >= 0) {
      level.add(level.edge(node, best), node, level.length(node, best))
      reach(node)
    }
    best >= 0
  }

  private def reach(from: Int): Unit = {
    isReached(from) = true
    queue(0) = from
    var (head, tail) = (0, 1)
    while (head < tail) {
      val node = queue(head)
      head += 1
      var i = 0
      while (i < level.count(node)) {
        val next = level.edge(node, i)
        if (!isReached(next)) {
          isReached(next) = true
          queue(tail) = next
          tail += 1
        }
        i += 1
      }
    }
  }
}
