package io.sparklance.spark.options

/** Kind of backfill. */
sealed abstract private[sparklance] class BackfillKind(val name: String, val command: String) extends Product
    with Serializable

private[sparklance] object BackfillKind {

  /** Adds columns. */
  case object Add extends BackfillKind("add", "ADD COLUMNS")

  /** Updates existing columns; rows without a new value keep theirs. */
  case object Update extends BackfillKind("update", "UPDATE COLUMNS")

  val all: Vector[BackfillKind] = Vector(Add, Update)
}
