package io.sparklance.index.text

/** Decides whether a document has a phrase. */
private[text] object PhrasePlaces {

  /** Whether words follow one another in the order of the query.
    *
    * With a slop, the reference moves all words on together after a miss, and so misses some phrases. This
    * does the same, to find the same rows.
    *
    * @param places
    *   for each word, its positions less its position in the query, ascending
    * @param slop
    *   how much later than after the word before it each word may be
    */
  def areInOrder(places: IndexedSeq[Array[Int]], slop: Int): Boolean =
    if (slop == 0) places.head.exists(p => places.forall(java.util.Arrays.binarySearch(_, p) >= 0))
    else follow(places, slop)

  private def follow(places: IndexedSeq[Array[Int]], slop: Int): Boolean = {
    val at = new Array[Int](places.size)
    var result = Option.empty[Boolean]
    while (result.isEmpty)
      if (at.indices.exists(i => at(i) >= places(i).length)) result = Some(false)
      else {
        val moved = target(places, at, slop)
        if (moved == Long.MinValue) result = Some(true)
        else
          at.indices.foreach { i =>
            while (at(i) < places(i).length && places(i)(at(i)) < moved) at(i) += 1
          }
      }
    result.contains(true)
  }

  /** Returns the position to which all words move on after a miss; `Long.MinValue` if there is none. */
  private def target(places: IndexedSeq[Array[Int]], at: Array[Int], slop: Int): Long = {
    var most = Long.MinValue
    var isMissed = false
    var i = 1
    while (!isMissed && i < at.length) {
      val (last, next) = (places(i - 1)(at(i - 1)).toLong, places(i)(at(i)).toLong)
      most = math.max(most, if (last > next) last else math.max(last + 1, next - slop))
      isMissed = last > next || next > last + slop
      i += 1
    }
    if (isMissed) most else Long.MinValue
  }
}
