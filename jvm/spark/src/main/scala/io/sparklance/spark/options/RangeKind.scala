package io.sparklance.spark.options

/** The rows that a read of a range returns. */
sealed private[sparklance] trait RangeKind extends Product with Serializable

private[sparklance] object RangeKind {

  /** Rows that appends have added, with the columns of the table. */
  case object Appended extends RangeKind

  /** The changes of every commit. */
  case object Changes extends RangeKind

  /** The differences between the version before the range and its end. */
  case object NetChanges extends RangeKind

  /** Net changes that also have the updated rows whose values are the same before and after. */
  case object NetUpdates extends RangeKind
}
