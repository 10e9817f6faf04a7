package io.sparklance.table

/** The kind of number that identifies the rows of a table. It is fixed when the table is created. */
sealed private[sparklance] trait RowIdentity extends Serializable

private[sparklance] object RowIdentity {

  /** Row addresses, which change when rows are updated or compacted. */
  case object Address extends RowIdentity

  /** Stable row ids, which rows keep. */
  case object StableId extends RowIdentity
}
