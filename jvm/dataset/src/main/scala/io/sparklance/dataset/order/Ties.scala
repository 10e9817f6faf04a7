package io.sparklance.dataset.order

/** Treatment of ties. */
sealed private[sparklance] trait Ties extends Product with Serializable

private[sparklance] object Ties {

  /** All are kept, because further sort keys decide. */
  case object Kept extends Ties

  /** Any of them may be dropped. */
  case object Dropped extends Ties
}
