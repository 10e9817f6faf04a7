package io.sparklance.index.vector.graph

import io.sparklance.vector.DistanceRange

/** Distances of nodes from a query. */
private[vector] trait NodeDistances {
  def apply(node: Int): Float
}

/** Nodes among which to search.
  *
  * @param bits
  *   one for each node
  * @param count
  *   number of set ones
  */
final private[vector] case class NodeSet(bits: Array[Long], count: Int) {
  def has(node: Int): Boolean = (bits(node >> 6) >>> node & 1L) != 0
}

/** Walks a graph from its entry point towards a query: on upper levels to the nearest neighbor as long as
  * there is a nearer one, on the lowest level with a beam of `ef` nodes. The walk is that of the reference.
  * Belongs to one thread.
  */
final private[vector] class GraphSearch(graph: Graph) {
  private val visited = new Array[Long]((graph.nodes + 63) >> 6)
  private val candidates = new NodeHeap
  private val results = new NodeHeap
  private var distances: NodeDistances = _
  private var beam = 0

  /** Node that the walk has reached, and its distance. */
  private var at = 0
  private var least = 0f

  /** The nodes found last, the nearest first. */
  var nodes: Array[Int] = Array.emptyIntArray

  /** Their distances. */
  var near: Array[Float] = Array.emptyFloatArray

  /** Number of distances computed so far. */
  var compared: Long = 0

  /** Searches for nodes. Returns their number, at most `ef`.
    *
    * @param among
    *   nodes that may be found; all if None
    */
  def run(to: NodeDistances, ef: Int, among: Option[NodeSet], range: DistanceRange): Int = {
    distances = to
    beam = ef
    val few = among.filter(_.count.toLong < graph.nodes.toLong * 10 / 100)
    few.fold(walk(among, range))(compareAll(_, range))
    if (nodes.length < results.size) {
      nodes = new Array[Int](results.size)
      near = new Array[Float](results.size)
    }
    results.drain(near, nodes)
  }

  private def compareAll(among: NodeSet, range: DistanceRange): Unit = {
    var node = 0
    while (node < graph.nodes) {
      if (among.has(node)) keep(distance(node), node, range)
      node += 1
    }
  }

  private def keep(distance: Float, node: Int, range: DistanceRange): Unit = if (range.contains(distance)) {
    if (results.size < beam) results.push(distance, node)
    else if (distance < results.top) {
      results.pop()
      results.push(distance, node)
    }
  }

  private def distance(node: Int): Float = {
    compared += 1
    distances(node)
  }

  private def walk(among: Option[NodeSet], range: DistanceRange): Unit = {
    java.util.Arrays.fill(visited, 0L)
    candidates.clear()
    at = graph.entry
    least = distance(at)
    var level = graph.levels.size - 1
    while (level > 0) { descend(graph.levels(level)); level -= 1 }
    spread(among.orNull, range)
  }

  /** Steps to the nearest neighbor until none is nearer. */
  private def descend(level: GraphLevel): Unit = {
    var isNearer = true
    while (isNearer) {
      isNearer = false
      val row = level.row(at)
      if (row >= 0) {
        val end = level.starts(row + 1)
        var i = level.starts(row)
        while (i < end) {
          val d = distance(level.edges(i))
          if (d < least) {
            least = d
            at = level.edges(i)
            isNearer = true
          }
          i += 1
        }
      }
    }
  }

  /** Looks at the neighbors of the nearest node that has not been looked at, until all such are farther than
    * those found.
    */
  private def spread(among: NodeSet, range: DistanceRange): Unit = {
    val _ = visit(at)
    candidates.push(-least, at)
    if (among == null || among.has(at)) keep(least, at, range)
    val (starts, edges) = (graph.levels(0).starts, graph.levels(0).edges)
    while (candidates.size > 0 && !(results.size == beam && -candidates.top > results.top)) {
      val node = candidates.topNode
      candidates.pop()
      val end = starts(node + 1)
      var i = starts(node)
      while (i < end) {
        val next = edges(i)
        if (visit(next)) {
          val d = distance(next)
          if (results.size < beam || d <= results.top) {
            if (among == null || among.has(next)) keep(d, next, range)
            candidates.push(-d, next)
          }
        }
        i += 1
      }
    }
  }

  /** Marks a node. Returns whether it was not marked. */
  private def visit(node: Int): Boolean = {
    val (word, bit) = (node >> 6, 1L << node)
    val isNew = (visited(word) & bit) == 0
    visited(word) |= bit
    isNew
  }
}
