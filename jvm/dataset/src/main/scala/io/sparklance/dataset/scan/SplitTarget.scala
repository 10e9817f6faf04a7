package io.sparklance.dataset.scan

/** Target size of a scan's splits. */
sealed private[sparklance] trait SplitTarget extends Product with Serializable

private[sparklance] object SplitTarget {

  /** Rows of a split, including deleted ones. */
  final case class Rows(count: Long) extends SplitTarget {
    require(count > 0, s"splits of $count rows")
  }

  /** Bytes of a split's projected columns on disk. */
  final case class Bytes(count: Long) extends SplitTarget {
    require(count > 0, s"splits of $count bytes")
  }

  /** Like files in Spark: no larger than they need to be for all of its cores to have work.
    *
    * @param maxBytes
    *   of a split, on disk
    * @param openBytes
    *   what opening one more fragment costs, as bytes that could be read meanwhile
    * @param minSplits
    *   how many there should be, unless they would cost more to open than to read
    */
  final case class Balanced(maxBytes: Long, openBytes: Long, minSplits: Int) extends SplitTarget {
    require(maxBytes > 0 && openBytes >= 0 && minSplits > 0, toString)
  }

  /** The same, but that no fragment is cut. */
  final case class Uncut(target: SplitTarget) extends SplitTarget
}
