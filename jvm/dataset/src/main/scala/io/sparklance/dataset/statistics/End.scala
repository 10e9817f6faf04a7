package io.sparklance.dataset.statistics

/** End of the order of values: minimum or maximum. */
sealed private[sparklance] trait End extends Product with Serializable

private[sparklance] object End {
  case object Least extends End
  case object Greatest extends End
}
