package io.sparklance.spark.index

import io.sparklance.dataset.Dataset
import io.sparklance.index.build.StoredSegment

/** The segments of an index that a new one replaces. */
sealed private[spark] trait Merging extends Product with Serializable

private[spark] object Merging {

  /** The newest ones. */
  final case class Newest(count: Int) extends Merging

  /** The newest ones as long as they are not much larger than those before them, so that an index has few
    * segments and each row is written a few times: the next segment has more than twice the rows of all newer
    * ones.
    */
  case object Balanced extends Merging

  /** Returns the number of segments to replace, newest first. */
  private[index] def count(merging: Merging, dataset: Dataset, segments: Vector[StoredSegment]): Int =
    merging match {
      case Newest(count) => count
      case Balanced => balanced(dataset.fragmentRows, segments)
    }

  private def balanced(fragments: Vector[(Long, Long)], segments: Vector[StoredSegment]): Int = {
    def rowsOf(segment: StoredSegment) = segment.fragments.fold(0L) { own =>
      fragments.iterator.collect { case (id, rows) if own.contains(id) => rows }.sum
    }
    val covered = segments.flatMap(_.fragments)
    val added = fragments.iterator.collect { case (id, rows) if !covered.exists(_.contains(id)) => rows }.sum
    if (added == 0) 0
    else {
      val newest = segments.sortBy(segment => -segment.createdAt.fold(0L)(_.toEpochMilli)).map(rowsOf)
      val sums = newest.scanLeft(added)(_ + _)
      newest.zip(sums).takeWhile { case (rows, newer) => rows <= 2 * newer }.size
    }
  }
}
