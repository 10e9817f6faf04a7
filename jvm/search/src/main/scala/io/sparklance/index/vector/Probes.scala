package io.sparklance.index.vector

import io.sparklance.vector.Metric

/** Number of partitions of a segment that a search looks at, the nearest first.
  *
  * @param least
  *   number of partitions that are searched in any case
  * @param most
  *   number of partitions, if fewer have not enough rows; all if None
  * @param beam
  *   nodes that the walk through the graph of a partition keeps; half as many again as rows to find if None
  */
final private[sparklance] case class Probes(
    least: Int = 1,
    most: Option[Int] = None,
    beam: Option[Int] = None
) {

  /** Description for plans. */
  def describe: String = {
    val partitions = most match {
      case Some(`least`) => s"$least probes"
      case Some(most) => s"$least to $most probes"
      case None => if (least == 1) "probes by distance" else s"at least $least probes"
    }
    partitions + beam.fold("")(n => s", ef $n")
  }
}

private[sparklance] object Probes {

  def exactly(count: Int): Probes = Probes(count, Some(count))

  /** Returns the number of partitions to search first: those not much farther than the nearest.
    *
    * @param distances
    *   of the centroids, ascending
    */
  private[vector] def first(probes: Probes, distances: Array[Float], metric: Metric, k: Int): Int = {
    val partitions = distances.length
    val most = math.min(probes.most.getOrElse(partitions), partitions)
    math.max(math.min(probes.least, most), math.min(near(distances, metric, k), most))
  }

  private def near(distances: Array[Float], metric: Metric, k: Int): Int = {
    val nearest = distances(0)
    val bucket = Buckets.indexWhere(k <= _)
    if (metric == Metric.Hamming || bucket < 0) {
      val factor = if (k == 1) 0.6f else if (k <= 10) 7f else 81f
      math.max(1, distances.count(_ <= nearest * factor))
    } else {
      val Rule(margins, floors, caps) = rules(metric)
      val reach = margins(bucket) * (if (metric == Metric.Dot) math.abs(1 - nearest) else nearest)
      math.max(floors(bucket), math.min(caps(bucket), distances.count(_ - nearest <= reach)))
    }
  }

  /** Rows asked for, at most, of each column of a [[Rule]]. */
  private val Buckets = Vector(1, 10, 100, 200, 500, 1000, 10000, 100000)

  /** Tuned by the reference: the margin to the nearest centroid, as a share of its distance, and bounds of
    * the number of partitions.
    */
  final private case class Rule(margins: Vector[Float], floors: Vector[Int], caps: Vector[Int])

  private val L2 = Rule(
    Vector(.2175f, .265f, .33f, .375f, .3725f, .4175f, .57f, .75f),
    Vector(5, 6, 11, 15, 22, 29, 98, 463),
    Vector(19, 24, 38, 56, 81, 93, 238, 704)
  )
  private val Cosine = Rule(
    Vector(.235f, .2875f, .38f, .415f, .45f, .47f, .6475f, .58f),
    Vector(3, 8, 7, 18, 28, 34, 104, 738),
    Vector(50, 77, 106, 156, 192, 248, 447, 958)
  )
  private val Dot = Rule(
    Vector(.14f, .055f, .0625f, .0675f, .07f, .0725f, .0825f, .21f),
    Vector(56, 144, 200, 211, 244, 279, 517, 1009),
    Vector(112, 432, 768, 833, 971, 1092, 1824, 2528)
  )

  private def rules(metric: Metric): Rule = metric match {
    case Metric.Cosine => Cosine
    case Metric.Dot => Dot
    case Metric.L2 | Metric.Hamming => L2
  }
}
