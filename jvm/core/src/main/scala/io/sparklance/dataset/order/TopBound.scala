package io.sparklance.dataset.order

/** Which rows may be among the first, as far as the ranks of others tell that were read before. Belongs to one thread. */
final private[dataset] class TopBound(top: TopRows) {
  private val dropsTies = top.ties match {
    case Ties.Dropped => top.order.isExact
    case Ties.Kept => false
  }

  /** The greatest ranks so far: a heap, the least of them first. */
  private val best = new Array[Long](top.limit)
  private var size = 0
  private var least = Long.MinValue

  def order: RowOrder = top.order

  def limit: Int = top.limit

  /** Whether rows of this rank may be among the first. */
  def admits(rank: Long): Boolean = rank >= least

  /** Learns that there are enough rows of at least this rank, which are still to be read. */
  def raise(rank: Long): Unit = least = math.max(least, rank)

  /** Looks at the ranks of the next rows. Writes to `kept` which of them may be among the first, and says how many. */
  def narrow(ranks: Array[Long], count: Int, kept: Array[Int]): Int = {
    var admitted = 0
    var i = 0
    while (i < count) {
      if (ranks(i) >= least) {
        kept(admitted) = i
        admitted += 1
        add(ranks(i))
      }
      i += 1
    }
    withoutOutdone(ranks, kept, admitted)
  }

  /** Of rows that were admitted, those that none behind them have driven out. */
  private def withoutOutdone(ranks: Array[Long], kept: Array[Int], count: Int): Int =
    if (size < best.length) count
    else {
      val worst = best(0)
      var n = 0
      var i = 0
      while (i < count) {
        val row = kept(i)
        kept(n) = row
        if (ranks(row) >= worst) n += 1
        i += 1
      }
      n
    }

  private def add(rank: Long): Unit = {
    if (size < best.length) {
      size += 1
      rise(size - 1, rank)
    } else if (rank > best(0)) sink(rank)
    if (size == best.length) raise(if (dropsTies && TopBound.isExact(best(0))) best(0) + 1 else best(0))
  }

  /** Puts a rank where a leaf of the heap is free. */
  private def rise(free: Int, rank: Long): Unit = {
    var at = free
    while (at > 0 && best((at - 1) / 2) > rank) {
      best(at) = best((at - 1) / 2)
      at = (at - 1) / 2
    }
    best(at) = rank
  }

  /** Puts a rank in the place of the least. */
  private def sink(rank: Long): Unit = {
    var at = 0
    var child = 1
    while (child < best.length) {
      if (child + 1 < best.length && best(child + 1) < best(child)) child += 1
      if (best(child) < rank) {
        best(at) = best(child)
        at = child
        child = 2 * at + 1
      } else child = best.length
    }
    best(at) = rank
  }
}

private object TopBound {

  /** Nulls and numbers that no long holds share the outermost ranks with values. */
  private def isExact(rank: Long): Boolean = rank != Long.MinValue && rank != Long.MaxValue
}
