package io.sparklance.index.vector.graph

/** One thread's part in building a graph. */
final private[graph] class GraphWorker(
    space: NodeSpace,
    params: GraphParams,
    levels: Vector[GrowingLevel],
    entry: Int,
    top: Int
) {
  private val view = space.view()
  private val choice = new EdgeChoice(space.view())
  private val visited = new Array[Int](space.size)
  private var visit = 0
  private val candidates = new NodeHeap
  private val results = new NodeHeap
  private var nodes = new Array[Int](params.beam + 1)
  private var far = new Array[Float](params.beam + 1)

  /** Finds the neighbors of a node on its levels, and makes them its edges.
    *
    * @param height
    *   its highest level
    */
  def findNeighbors(node: Int, height: Int): Unit = {
    view.choose(node)
    var at = entry
    var level = top
    while (level > height) { at = descend(levels(level), at); level -= 1 }
    while (level >= 0) {
      val n = spread(levels(level), at)
      at = nodes(0)
      val chosen = choice.run(nodes, far, n, params.m)
      levels(level).set(levels(level).row(node), choice.nodes, choice.distances, chosen)
      level -= 1
    }
  }

  private def descend(level: GrowingLevel, from: Int): Int = {
    var at = from
    var least = view(at)
    var isNearer = true
    while (isNearer) {
      isNearer = false
      val row = level.row(at)
      val n = level.count(row)
      var i = 0
      while (i < n) {
        val next = level.edge(row, i)
        val distance = view(next)
        if (distance < least) {
          least = distance
          at = next
          isNearer = true
        }
        i += 1
      }
    }
    at
  }

  /** Finds the nearest nodes of a level. Returns their number. */
  private def spread(level: GrowingLevel, from: Int): Int = {
    visit += 1
    visited(from) = visit
    val start = view(from)
    candidates.clear()
    candidates.push(-start, from)
    results.push(start, from)
    while (candidates.size > 0 && !(results.size == params.beam && -candidates.top > results.top)) {
      val row = level.row(candidates.topNode)
      candidates.pop()
      val n = level.count(row)
      var i = 0
      while (i < n) {
        val next = level.edge(row, i)
        if (visited(next) != visit) {
          visited(next) = visit
          offer(view(next), next)
        }
        i += 1
      }
    }
    results.drain(far, nodes)
  }

  private def offer(distance: Float, node: Int): Unit =
    if (results.size < params.beam) {
      results.push(distance, node)
      candidates.push(-distance, node)
    } else if (distance < results.top) {
      results.pop()
      results.push(distance, node)
      candidates.push(-distance, node)
    }

  /** Adds edges to a row, and chooses among all when the row is full. */
  def addBack(
      level: GrowingLevel,
      row: Int,
      sources: Array[Int],
      lengths: Array[Float],
      from: Int,
      until: Int
  ): Unit = {
    var i = from
    while (i < until) {
      if (level.isFull(row)) choose(level, row, level.most)
      level.add(row, sources(i), lengths(i))
      i += 1
    }
  }

  /** Drops the edges of a row that are too many. */
  def trim(level: GrowingLevel, row: Int): Unit = shorten(level, row, level.most)

  /** Keeps at most a number of edges of a row. */
  def shorten(level: GrowingLevel, row: Int, most: Int): Unit =
    if (level.count(row) > most) choose(level, row, most)

  private def choose(level: GrowingLevel, row: Int, most: Int): Unit = {
    if (nodes.length < 2 * level.most) {
      nodes = new Array[Int](2 * level.most)
      far = new Array[Float](2 * level.most)
    }
    val n = choice.run(nodes, far, level.copy(row, nodes, far), most)
    level.set(row, choice.nodes, choice.distances, n)
  }
}
