package io.sparklance.table

/** By what number rows of a table are known. It is settled when the table is created. */
sealed trait RowIdentity extends Serializable

object RowIdentity {

  /** By where they are, which changes when they are updated or compacted. */
  case object Address extends RowIdentity

  /** By an id that they keep: "stable row ids". */
  case object StableId extends RowIdentity
}
