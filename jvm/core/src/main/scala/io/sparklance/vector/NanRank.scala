package io.sparklance.vector

/** The place of rows whose distance from a query is NaN. */
sealed private[sparklance] trait NanRank extends Product with Serializable

private[sparklance] object NanRank {

  /** Such rows are not found. */
  case object Out extends NanRank

  /** They are farther than all others, and of equal distances. */
  case object Last extends NanRank

  /** They are nearer than all others, and of equal distances. */
  case object First extends NanRank
}
