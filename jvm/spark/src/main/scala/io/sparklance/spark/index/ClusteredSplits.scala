package io.sparklance.spark.index

import io.sparklance.dataset.scan.Split
import io.sparklance.dataset.snapshot.RowAddress
import io.sparklance.index.build.IndexKeys

/** Splits whose keys seem to follow each other, as in a table that is sorted by them.
  *
  * @param limits
  *   of the keys of each split
  */
final private[index] case class ClusteredSplits[K <: AnyRef](
    splits: Vector[Split],
    limits: Vector[KeyLimits[K]]
)

/** Finds out whether the splits of a table are ranges of keys already, so that no row has to move. */
private[index] object ClusteredSplits {

  /** Returns None if a sample shows that splits overlap.
    *
    * @param sample
    *   keys and addresses
    */
  def of[K <: AnyRef](
      splits: Vector[Split],
      sample: Vector[(K, Long)],
      keys: IndexKeys[K]
  ): Option[ClusteredSplits[K]] = {
    val starts = splits.map(start)
    val grouped = sample.groupBy { case (_, address) => starts.lastIndexWhere(_ <= address) }
    val order = orderOf(keys)
    val ends = splits.indices.toVector.flatMap(i =>
      grouped.get(i).map(rows => Ends(i, rows.map(_._1).min(order), rows.map(_._1).max(order)))
    )
    val sorted = ends.sortBy(_.least)(order)
    val areApart = sorted.zip(sorted.drop(1)).forall { case (a, b) => order.lteq(a.most, b.least) }
    Option.when(ends.size == splits.size && areApart) {
      val before = None +: sorted.map(ends => Some(ends.most))
      val after = sorted.drop(1).map(ends => Some(ends.least)) :+ None
      val limits = sorted.zip(before.zip(after)).map { case (ends, (least, most)) =>
        ends.split -> KeyLimits(least, most)
      }
      ClusteredSplits(splits, limits.sortBy(_._1).map(_._2))
    }
  }

  /** Returns ranges in the order of their keys, or None if they overlap. */
  def inOrder[K <: AnyRef](
      ranges: Vector[BTreeRange.Written[K]],
      keys: IndexKeys[K]
  ): Option[Vector[BTreeRange.Written[K]]] = {
    def key(of: Option[K]) = of.orNull[AnyRef].asInstanceOf[K]
    def least(range: BTreeRange.Written[K]) = key(range.part.pages.head.min)
    def most(range: BTreeRange.Written[K]) = key(range.part.pages.last.max)
    val order = orderOf(keys)
    val sorted = ranges.sortBy(range => (least(range), most(range)))(Ordering.Tuple2(order, order))
    Option.when(sorted.zip(sorted.drop(1)).forall { case (a, b) => order.lteq(most(a), least(b)) })(sorted)
  }

  private def orderOf[K <: AnyRef](keys: IndexKeys[K]): Ordering[K] =
    Ordering.fromLessThan(keys.compareOrNull(_, _) < 0)

  /** Address of a split's first row. */
  private def start(split: Split): Long =
    RowAddress.of(split.tasks.head.fragmentId, split.tasks.head.rows.ranges.head.start)

  /** Least and greatest sampled key of a split. */
  final private case class Ends[K](split: Int, least: K, most: K)
}
