package io.sparklance.dataset.changes

/** Positions of distinct row ids: a hash table with open addressing. */
final private[changes] class IdTable(ids: Array[Long]) {
  private val mask = Integer.highestOneBit(math.max(1, ids.length)) * 4 - 1
  private val slots = new Array[Int](mask + 1)

  {
    var i = 0
    while (i < ids.length) {
      slots(slot(ids(i))) = i + 1
      i += 1
    }
  }

  /** Returns the position of an id, or -1. */
  def position(id: Long): Int = slots(slot(id)) - 1

  /** Returns the slot with an id, or the free slot where it belongs. */
  private def slot(id: Long): Int = {
    val mixed = id * 0x9e3779b97f4a7c15L
    var at = (mixed >>> 32).toInt & mask
    while (slots(at) != 0 && ids(slots(at) - 1) != id) at = at + 1 & mask
    at
  }
}
