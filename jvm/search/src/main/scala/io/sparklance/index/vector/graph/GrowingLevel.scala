package io.sparklance.index.vector.graph

/** The edges of a level while a graph is built. Each row has room for some more than the most that it keeps,
  * so that edges are not chosen again for each new one.
  *
  * @param members
  *   nodes of the level, ascending; null if it has all
  * @param nodes
  *   number of nodes of the graph
  * @param most
  *   edges that a node keeps
  */
final private[graph] class GrowingLevel(val members: Array[Int], nodes: Int, val most: Int) {
  val rows: Int = if (members == null) nodes else members.length
  private val room = most + most / 4 + 1
  private val edges = new Array[Int](Math.multiplyExact(rows, room))
  private val lengths = new Array[Float](edges.length)
  private val counts = new Array[Int](rows)

  def row(node: Int): Int = if (members == null) node else java.util.Arrays.binarySearch(members, node)
  def count(row: Int): Int = counts(row)
  def edge(row: Int, i: Int): Int = edges(row * room + i)
  def length(row: Int, i: Int): Float = lengths(row * room + i)
  def isFull(row: Int): Boolean = counts(row) == room

  /** Adds an edge to a row that is not full. */
  def add(row: Int, node: Int, length: Float): Unit = {
    val at = row * room + counts(row)
    edges(at) = node
    lengths(at) = length
    counts(row) += 1
  }

  /** Replaces the edges of a row. */
  def set(row: Int, nodes: Array[Int], distances: Array[Float], n: Int): Unit = {
    System.arraycopy(nodes, 0, edges, row * room, n)
    System.arraycopy(distances, 0, lengths, row * room, n)
    counts(row) = n
  }

  /** Copies the edges of a row. Returns their number. */
  def copy(row: Int, nodes: Array[Int], distances: Array[Float]): Int = {
    System.arraycopy(edges, row * room, nodes, 0, counts(row))
    System.arraycopy(lengths, row * room, distances, 0, counts(row))
    counts(row)
  }
}
