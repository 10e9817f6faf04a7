package io.sparklance.index.vector.graph

import java.util.Arrays

/** The edges of a level of a graph.
  *
  * @param keys
  *   for upper levels the nodes in the upper half of a number, and in the lower their rows, sorted; null for
  *   level 0, where the row of a node is its number
  * @param starts
  *   for each row the place of its first edge, and the end of all
  * @param edges
  *   nodes to which the edges lead
  */
final private[vector] class GraphLevel(keys: Array[Long], val starts: Array[Int], val edges: Array[Int]) {

  /** Returns the row of a node, or -1 if the level does not have it. Of several rows the last one counts. */
  def row(node: Int): Int =
    if (keys == null) node
    else {
      val found = Arrays.binarySearch(keys, (node + 1L) << 32)
      val at = (if (found < 0) -found - 1 else found) - 1
      if (at >= 0 && (keys(at) >>> 32) == node) keys(at).toInt else -1
    }

  def weight: Long = 4L * (starts.length + edges.length) + (if (keys == null) 0L else 8L * keys.length)
}

private[vector] object GraphLevel {
  def lowest(starts: Array[Int], edges: Array[Int]): GraphLevel = new GraphLevel(null, starts, edges)

  /** @param nodes of the rows, in any order */
  def upper(nodes: Array[Int], starts: Array[Int], edges: Array[Int]): GraphLevel = {
    val keys = Array.tabulate(nodes.length)(row => nodes(row).toLong << 32 | row)
    Arrays.sort(keys)
    new GraphLevel(keys, starts, edges)
  }
}

/** A hierarchical navigable small world: nodes are the vectors of a partition, edges lead to near ones. Few
  * nodes are on upper levels, whose long edges lead to the neighborhood of a query.
  *
  * @param nodes
  *   number of nodes
  * @param levels
  *   the lowest first, which has all nodes
  */
final private[vector] class Graph(val entry: Int, val nodes: Int, val levels: Vector[GraphLevel]) {
  def weight: Long = levels.iterator.map(_.weight).sum + 64
}
