package io.sparklance.dataset.scan

import io.sparklance.data.RowRange

/** Reading a fragment, as work to be shared out.
  *
  * @param bytes
  *   that are read
  * @param effort
  *   what it takes to read them, also in bytes: more, if they are packed well
  */
final private case class FragmentWork(rows: Long, bytes: Double, effort: Double)

/** Fills one split after the other with fragments and pieces of fragments, in the order of the rows.
  *
  * @param capacity
  *   bytes of a split
  * @param opening
  *   what each fragment of a split takes of that besides its bytes, the last one's not counted
  * @param slack
  *   by how much a split may be larger than its capacity, so that no small rest is left over
  * @param smallest
  *   effort of a fragment that is worth being cut
  */
final private case class SplitFiller(capacity: Double, opening: Double, slack: Double, smallest: Double) {

  /** The pieces of each split: which fragment, and which of its rows. */
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

  /** How many of the fragment's rows behind `from` go into the room that a split has; into an empty one at
    * least one.
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

  def of(target: SplitTarget, fragments: Vector[FragmentWork]): SplitFiller = target match {
    case SplitTarget.Rows(count) => SplitFiller(count.toDouble, opening = 0, slack = 0, smallest = 0)
    case SplitTarget.Bytes(count) => SplitFiller(count.toDouble, opening = 0, count * Slack, smallest = 0)
    case SplitTarget.Balanced(maxBytes, openBytes, minSplits) =>
      val worthwhile = math.floor(fragments.iterator.map(_.effort).sum / math.max(1, openBytes))
      val splits = math.min(minSplits.toDouble, math.max(1.0, worthwhile))
      val opening = openBytes * math.max(0.0, fragments.size - splits)
      val all = fragments.iterator.map(_.bytes).sum + opening
      // As many as the largest size demands, and these alike.
      val capacity = math.max(1.0, all / math.max(splits, math.ceil(all / maxBytes)))
      SplitFiller(capacity, openBytes.toDouble, capacity * Slack, math.min(openBytes.toDouble, capacity))
    case SplitTarget.Uncut(target) => of(target, fragments).copy(smallest = Double.PositiveInfinity)
  }
}
