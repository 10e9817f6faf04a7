package io.sparklance.dataset.scan

import io.sparklance.data.RowRange

/** The work of reading a fragment.
  *
  * @param bytes
  *   bytes to read
  * @param effort
  *   cost of reading them, in bytes: higher for well-compressed data
  */
final private case class FragmentWork(rows: Long, bytes: Double, effort: Double)

/** Chooses the rows of each split. Fills one split after the other with fragments, in the order of the rows,
  * and divides a fragment at any row where a split is full.
  *
  * @param capacity
  *   bytes of a split
  * @param opening
  *   bytes that each fragment of a split costs in addition, except the last one
  * @param slack
  *   bytes by which a split may exceed its capacity, so that no small rest is left
  * @param smallest
  *   fragments of less effort are not divided
  */
final private case class SplitFiller(capacity: Double, opening: Double, slack: Double, smallest: Double) {

  /** Returns the pieces of each split: the number of a fragment, and a range of its rows. */
  def fill(fragments: Iterator[FragmentWork]): Vector[Vector[(Int, RowRange)]] = {
    val splits = Vector.newBuilder[Vector[(Int, RowRange)]]
    var split = Vector.newBuilder[(Int, RowRange)]
    var isEmpty = true
    var room = capacity

    def close(): Unit = if (!isEmpty) {
      splits += split.result()
      split = Vector.newBuilder
      isEmpty = true
      room = capacity
    }
    for ((fragment, index) <- fragments.zipWithIndex) {
      val rowBytes = math.min(fragment.bytes, capacity * SplitFiller.MaxPieces) / fragment.rows
      var from = 0L
      while (from < fragment.rows) {
        val fits = from + rowsThatFit(fragment, rowBytes, from, room, isEmpty)
        if (fits > from) {
          split += index -> RowRange(from, fits)
          isEmpty = false
          room -= (fits - from) * rowBytes + opening
        }
        if (fits < fragment.rows) close()
        from = fits
      }
    }
    close()
    splits.result()
  }

  /** Returns the number of the fragment's rows after `from` that fit into the room of a split. An empty split
    * takes at least one row.
    */
  private def rowsThatFit(
      fragment: FragmentWork,
      rowBytes: Double,
      from: Long,
      room: Double,
      isEmpty: Boolean
  ): Long = {
    val left = fragment.rows - from
    if (left * rowBytes <= room + slack) left
    else if (fragment.effort < smallest) if (isEmpty) left else 0
    else math.max((room / rowBytes).toLong, if (isEmpty) 1L else 0L)
  }
}

private object SplitFiller {

  /** Keeps a wrong file size from flooding the driver with splits. */
  final private val MaxPieces = 1 << 16

  final private val Slack = 1.0 / 16

  /** Rounds, each of a split for each core, up to which their number is made whole. */
  final private val MostRounds = 4

  /** Returns a number of splits, at least `count`, that leaves no core without one in the last round, if
    * there are few rounds: two cores take as long for three splits as for four of that size.
    */
  private def inRounds(count: Double, cores: Double): Double =
    if (count > MostRounds * cores) count else math.ceil(count / cores) * cores

  def of(target: SplitTarget, fragments: Vector[FragmentWork]): SplitFiller = target match {
    case SplitTarget.Rows(count) => SplitFiller(count.toDouble, opening = 0, slack = 0, smallest = 0)
    case SplitTarget.Bytes(count) => SplitFiller(count.toDouble, opening = 0, count * Slack, smallest = 0)
    case SplitTarget.Balanced(maxBytes, openBytes, minSplits) =>
      val worthwhile = math.floor(fragments.iterator.map(_.effort).sum / math.max(1, openBytes))
      val splits = math.min(minSplits.toDouble, math.max(1.0, worthwhile))
      val opening = openBytes * math.max(0.0, fragments.size - splits)
      val all = fragments.iterator.map(_.bytes).sum + opening
      // The number of splits that the largest size demands, all of equal size.
      val capacity = math.max(1.0, all / math.max(splits, inRounds(math.ceil(all / maxBytes), splits)))
      SplitFiller(capacity, openBytes.toDouble, capacity * Slack, math.min(openBytes.toDouble, capacity))
    case SplitTarget.Uncut(target) => of(target, fragments).copy(smallest = Double.PositiveInfinity)
  }
}
