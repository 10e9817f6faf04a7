package io.sparklance.index.vector.graph

import java.util.SplittableRandom

/** The rows of a built graph, level by level, the lowest first: nodes ascend in each. */
final private[vector] class BuiltGraph(val head: GraphHead, levels: Vector[GrowingLevel]) {

  /** Passes the rows: a node, its edges and their lengths, which are valid until the function returns. */
  def foreach(f: (Int, Array[Int], Array[Float], Int) => Unit): Unit = levels.foreach { level =>
    val nodes = new Array[Int](2 * level.most)
    val distances = new Array[Float](2 * level.most)
    var row = 0
    while (row < level.rows) {
      val n = level.copy(row, nodes, distances)
      f(if (level.members == null) row else level.members(row), nodes, distances, n)
      row += 1
    }
  }
}

/** Builds a graph of the vectors of a partition.
  *
  * Nodes are inserted in batches, of at most a fiftieth of the existing nodes. All nodes of a batch look for
  * their neighbors in the graph as it was before the batch. Then their neighbors get edges back. Each step
  * writes rows that no other thread reads or writes, so it runs in parallel without locks, and equal vectors
  * give equal graphs. Nodes whose vector another has, too, are not inserted, but attached: [[Twins]].
  *
  * @param threads
  *   number of threads to use
  * @param check
  *   called between batches; ends the work by an exception
  */
final private[vector] class GraphBuilder(
    space: NodeSpace,
    params: GraphParams,
    threads: Int,
    check: () => Unit
) {
  import GraphBuilder._

  private val twins = new Twins(space)
  private val heights = GraphBuilder.heights(space.size, params).zipWithIndex.map { case (height, node) =>
    if (twins.isFirst(node)) height else 0.toByte
  }
  private val top = heights.max.toInt
  private val entry = heights.indices.indexWhere(node => heights(node) == top && twins.isFirst(node))
  private val levels = Vector.tabulate(top + 1) { level =>
    val members = if (level == 0) null else heights.indices.filter(heights(_) >= level).toArray
    new GrowingLevel(members, space.size, if (level == 0) 2 * params.m else params.m)
  }
  private val order = entry +: Array.range(0, space.size).filter(node => node != entry && twins.isFirst(node))
  private val workers = Vector.fill(math.max(1, threads))(new GraphWorker(space, params, levels, entry, top))

  def run(): BuiltGraph = Parallel.using(workers.size) { parallel =>
    var done = 1
    while (done < order.length) {
      check()
      val until = math.min(order.length, done + math.max(1, math.min(done / BatchShare, MostInBatch)))
      insert(order, done, until, parallel)
      done = until
    }
    levels.foreach { level =>
      parallel.run(level.rows, RowsAtOnce)((thread, row) => workers(thread).trim(level, row))
    }
    twins.attach(levels.head, workers.head.shorten(levels.head, _, _))
    new Linking(levels.head, entry, space.view()).run()
    val offsets =
      Vector.tabulate(params.maxLevel)(i => if (i <= top) levels(i).rows else 0).scanLeft(0)(_ + _)
    new BuiltGraph(GraphHead(entry, offsets, params), levels)
  }

  private def insert(order: Array[Int], from: Int, until: Int, parallel: Parallel): Unit = {
    parallel.run(until - from, 1)((thread, i) =>
      workers(thread).findNeighbors(order(from + i), heights(order(from + i)).toInt)
    )
    levels.indices.foreach { level =>
      val own = levels(level)
      val added = new AddedEdges(own, order, from, until, heights, level)
      parallel.run(added.targets, RowsAtOnce) { (thread, i) =>
        workers(thread).addBack(
          own,
          added.rows(i),
          added.sources,
          added.lengths,
          added.start(i),
          added.start(i + 1)
        )
      }
    }
  }
}

private[vector] object GraphBuilder {
  final private val BatchShare = 50
  final private val MostInBatch = 10000
  final private val RowsAtOnce = 16
  final private val Seed = 42L

  /** Returns the highest level of each node: each level has one of `m` nodes of the level below. */
  private[graph] def heights(nodes: Int, params: GraphParams): Array[Byte] = {
    val random = new SplittableRandom(Seed)
    val scale = 1 / math.log(params.m.toDouble)
    val most = math.min(params.maxLevel, Byte.MaxValue) - 1
    Array.fill(nodes)(math.min(most.toDouble, -math.log(1 - random.nextDouble()) * scale).toInt.toByte)
  }
}

/** The edges back from the neighbors of new nodes, grouped by these neighbors. */
final private class AddedEdges(
    level: GrowingLevel,
    order: Array[Int],
    from: Int,
    until: Int,
    heights: Array[Byte],
    height: Int
) {
  import AddedEdges.PlaceBits

  private val news = java.util.Arrays.copyOfRange(order, from, until).filter(heights(_) >= height)
  private val keys = {
    val out = Array.newBuilder[Long]
    var i = 0
    while (i < news.length) {
      val row = level.row(news(i))
      var j = 0
      while (j < level.count(row)) {
        out += level.row(level.edge(row, j)).toLong << 32 | i.toLong << PlaceBits | j
        j += 1
      }
      i += 1
    }
    val keys = out.result()
    java.util.Arrays.sort(keys)
    keys
  }

  /** New nodes, by the rows of their neighbors. */
  val sources: Array[Int] = keys.map(key => news(newOf(key)))

  /** Lengths of the edges. */
  val lengths: Array[Float] =
    keys.map(key => level.length(level.row(news(newOf(key))), key.toInt & (1 << PlaceBits) - 1))

  private val starts = keys.indices.filter(i => i == 0 || (keys(i) >>> 32) != (keys(i - 1) >>> 32)).toArray

  /** Rows that get edges. */
  val rows: Array[Int] = starts.map(i => (keys(i) >>> 32).toInt)

  def targets: Int = starts.length

  /** Place of the first edge of a row. */
  def start(i: Int): Int = if (i < starts.length) starts(i) else keys.length

  private def newOf(key: Long): Int = key.toInt >>> PlaceBits
}

private object AddedEdges {

  /** Bits for the place of an edge among those of a node. */
  final val PlaceBits = 12
}
