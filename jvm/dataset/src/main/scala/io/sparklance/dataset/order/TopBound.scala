package io.sparklance.dataset.order

/** Tracks the ranks of rows read so far, and rejects rows that cannot be among the first. Fragments that are
  * opened ahead raise the bound from other threads.
  */
final private[dataset] class TopBound(top: TopRows) {
  private val dropsTies = top.ties match {
    case Ties.Dropped => top.order.isExact
    case Ties.Kept => false
  }

  /** Greatest ranks so far: a heap with the smallest of them on top. */
  private val best = new Array[Long](top.limit)
  private var size = 0
  private var least = Long.MinValue

  def order: RowOrder = top.order

  def limit: Int = top.limit

  /** Whether rows of this rank may be among the first. */
  def admits(rank: Long): Boolean = synchronized(rank >= least)

  /** Whether a row of this rank that was read already may still be among the first. */
  def keeps(rank: Long): Boolean = synchronized(rank >= (if (size < best.length) least else best(0)))

  /** Raises the bound: enough rows of at least this rank are still to be read. */
  def raise(rank: Long): Unit = synchronized(raiseTo(rank))

  private def raiseTo(rank: Long): Unit = least = math.max(least, rank)

  /** Adds the ranks of the next rows. Writes the positions of those that may be among the first to `kept`.
    * Returns their number.
    */
  def narrow(ranks: Array[Long], count: Int, kept: Array[Int]): Int = synchronized {
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

  /** Drops admitted rows that later ones have displaced. */
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
    if (size == best.length) raiseTo(if (dropsTies && TopBound.isExact(best(0))) best(0) + 1 else best(0))
  }

  /** Inserts a rank at a free leaf of the heap. */
  private def rise(free: Int, rank: Long): Unit = {
    var at = free
    while (at > 0 && best((at - 1) / 2) > rank) {
      best(at) = best((at - 1) / 2)
      at = (at - 1) / 2
    }
    best(at) = rank
  }

  /** Replaces the smallest rank. */
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

  /** Whether equal ranks mean equal values. Nulls and numbers beyond a long share the outermost ranks. */
  private def isExact(rank: Long): Boolean = rank != Long.MinValue && rank != Long.MaxValue
}
