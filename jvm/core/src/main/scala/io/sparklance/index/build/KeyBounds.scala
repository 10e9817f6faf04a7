package io.sparklance.index.build

/** Divides rows into ranges by key and row number, null keys first.
  *
  * @param bounds
  *   first row of each range but the first, ascending; a null key for null
  */
final private[sparklance] case class KeyBounds[K <: AnyRef](keys: IndexKeys[K], bounds: Vector[(K, Long)]) {
  private val (boundKeys, boundIds) = (bounds.map(_._1: AnyRef).toArray, bounds.map(_._2).toArray)

  /** Number of ranges. */
  def ranges: Int = bounds.size + 1

  /** Returns the range of a row. */
  def rangeOf(key: K, id: Long): Int = {
    var (low, high) = (0, boundKeys.length)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (KeyBounds.compare(keys, key, id, boundKeys(middle).asInstanceOf[K], boundIds(middle)) < 0)
        high = middle
      else low = middle + 1
    }
    low
  }
}

private[sparklance] object KeyBounds {

  /** Returns bounds of `ranges` ranges of about the same size.
    *
    * @param sample
    *   rows from all over the table
    */
  def of[K <: AnyRef](keys: IndexKeys[K], sample: Vector[(K, Long)], ranges: Int): KeyBounds[K] = {
    val sorted = sample.sortWith((a, b) => compare(keys, a._1, a._2, b._1, b._2) < 0)
    val at = (1 until ranges).map(i => (i.toLong * sorted.size / ranges).toInt).distinct
    KeyBounds(keys, if (sorted.isEmpty) Vector.empty else at.map(sorted).toVector)
  }

  private def compare[K <: AnyRef](keys: IndexKeys[K], a: K, aId: Long, b: K, bId: Long): Int = {
    val order = if (a == null) (if (b == null) 0 else -1) else if (b == null) 1 else keys.compare(a, b)
    if (order != 0) order else java.lang.Long.compare(aId, bId)
  }
}
