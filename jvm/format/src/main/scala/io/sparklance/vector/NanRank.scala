package io.sparklance.vector

/** The place of rows whose distance from a query is NaN. */
sealed private[sparklance] trait NanRank extends Product with Serializable

private[sparklance] object NanRank {

  /** Leaves such rows out. */
  case object Out extends NanRank

  /** Ranks them behind all others, by address. */
  case object Last extends NanRank

  /** Ranks them before all others, by address. */
  case object First extends NanRank
}
