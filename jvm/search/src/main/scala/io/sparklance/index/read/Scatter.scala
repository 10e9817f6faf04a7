package io.sparklance.index.read

import java.util.Arrays

/** Finds out early whether the rows of a search are too scattered to be read one by one: a scan is cheaper
  * then, and reading the rest of the index would be in vain.
  *
  * @param wanted
  *   number of entries that the search reads
  * @param mostRanges
  *   ranges of rows that are worth it
  */
final private[read] class Scatter(wanted: Long, mostRanges: Long) {
  private var isKnown = wanted < Scatter.MinWanted || mostRanges > Long.MaxValue / Scatter.Doubt
  private var tooWide = false

  def isTooWide: Boolean = tooWide

  /** Judges by the first entries that were read, unless they are few or that is known.
    *
    * @param positions
    *   of the ids that pass, the first `passing` of them
    * @param read
    *   number of entries
    */
  def sample(ids: Array[Long], positions: Array[Int], passing: Int, read: Int): Unit =
    if (!isKnown && read >= Scatter.MinSample) {
      val own = new Array[Long](passing)
      var i = 0
      while (i < passing) { own(i) = ids(positions(i)); i += 1 }
      Arrays.sort(own)
      var ranges = math.min(passing, 1)
      i = 1
      while (i < passing) {
        if (own(i) != own(i - 1) + 1) ranges += 1
        i += 1
      }
      tooWide = ranges.toDouble / read * wanted > mostRanges.toDouble * Scatter.Doubt
      isKnown = true
    }
}

private object Scatter {

  /** Smaller searches are cheap. */
  final private val MinWanted = 1L << 16

  /** Entries of a sample. */
  final private val MinSample = 1 << 12

  /** The estimate may be wrong, and another index may leave fewer rows. */
  final private val Doubt = 8L
}
