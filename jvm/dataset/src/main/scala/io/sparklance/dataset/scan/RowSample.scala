package io.sparklance.dataset.scan

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.snapshot.RowAddress

/** Picks rows at random, each by itself and with the same chance. To every row belongs a number in [0, 1)
  * that follows from its address and the seed, so that the sample does not depend on how a table is split.
  * Picked are those with a number in `[lower, upper)`.
  */
final private[sparklance] case class RowSample(lower: Double, upper: Double, seed: Long) {

  /** The share of rows that is picked, about. */
  def share: Double = math.min(1.0, math.max(0.0, upper - lower))

  /** Samples a task's rows in parts, to bound the number of row ranges at a time. */
  def of(task: FragmentTask): Iterator[FragmentTask] =
    Iterator
      .iterate(0L)(_ + RowSample.Stretch)
      .takeWhile(_ < task.rows.count)
      .map(from => task.copy(rows = picked(task.rows.slice(from, from + RowSample.Stretch), task.fragmentId)))
      .filterNot(_.rows.isEmpty)

  private def picked(rows: RowRanges, fragmentId: Long): RowRanges = {
    val first = RowAddress.first(fragmentId)
    val picked = Vector.newBuilder[RowRange]
    rows.ranges.foreach { range =>
      var row = range.start
      while (row < range.end) {
        if (isPicked(first + row)) picked += RowRange(row, row + 1)
        row += 1
      }
    }
    RowRanges.of(picked.result())
  }

  private def isPicked(address: Long): Boolean = {
    val number = (RowSample.mixed(RowSample.mixed(seed) + address) >>> 11) * RowSample.Step
    number >= lower && number < upper
  }
}

private[sparklance] object RowSample {
  final private val Stretch = 1L << 20

  /** The distance of two neighbouring numbers of 53 bits. */
  final private val Step = 1.0 / (1L << 53)

  /** The steps of SplitMix64, which make each bit depend on all others. */
  private def mixed(value: Long): Long = {
    val a = value + 0x9e3779b97f4a7c15L
    val b = (a ^ a >>> 30) * 0xbf58476d1ce4e5b9L
    val c = (b ^ b >>> 27) * 0x94d049bb133111ebL
    c ^ c >>> 31
  }
}
