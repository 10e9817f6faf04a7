package io.sparklance.index.vector.graph

/** Nodes with equal vectors. The graph is built of the first node of each vector: among many equal nodes, all
  * edges of one lead to others of them, so that no walk leaves them. The others hang on the first one as a
  * tree.
  */
final private[graph] class Twins(space: NodeSpace) {
  private val first = {
    val slots = Array.fill(Integer.highestOneBit(math.max(1, space.size)) << 2)(-1)
    Array.tabulate(space.size) { node =>
      var slot = Twins.spread(space.hash(node)) & (slots.length - 1)
      while (slots(slot) >= 0 && !space.areEqual(slots(slot), node)) slot = (slot + 1) & (slots.length - 1)
      if (slots(slot) < 0) slots(slot) = node
      slots(slot)
    }
  }

  /** Whether a node is the first of its vector. */
  def isFirst(node: Int): Boolean = first(node) == node

  /** Adds the trees to the lowest level.
    *
    * @param shorten
    *   drops edges of a row until it has a number of them
    */
  def attach(level: GrowingLevel, shorten: (Int, Int) => Unit): Unit = {
    val view = space.view()
    val children = math.max(1, level.most / Twins.Share)
    var last = -1
    groups.foreach { case (root, others) =>
      if (last != root) { view.choose(root); last = root }
      shorten(root, level.most - math.min(children, others.length))
      others.indices.foreach { i =>
        val parent = if (i < children) root else others(i / children - 1)
        val length = view(others(i))
        level.add(parent, others(i), length)
        level.add(others(i), parent, length)
      }
    }
  }

  private def groups: Iterator[(Int, Array[Int])] = {
    val others = first.indices.filterNot(isFirst(_)).toArray.sortBy(node => first(node).toLong << 32 | node)
    val starts = others.indices.filter(i => i == 0 || first(others(i)) != first(others(i - 1))) :+
      others.length
    starts.iterator.zip(starts.iterator.drop(1)).map { case (from, until) =>
      first(others(from)) -> others.slice(from, until)
    }
  }
}

private object Twins {

  /** Share of a node's edges that lead to equal nodes. */
  final private val Share = 4

  private def spread(hash: Int): Int = {
    val mixed = hash * 0x9e3779b9
    mixed ^ mixed >>> 16
  }
}
