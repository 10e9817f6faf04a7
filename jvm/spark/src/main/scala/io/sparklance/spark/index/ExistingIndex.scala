package io.sparklance.spark.index

/** Treatment of an existing index of the requested name. */
sealed private[spark] trait ExistingIndex extends Product with Serializable

private[spark] object ExistingIndex {
  case object Refuse extends ExistingIndex
  case object Replace extends ExistingIndex
  case object Keep extends ExistingIndex
}
