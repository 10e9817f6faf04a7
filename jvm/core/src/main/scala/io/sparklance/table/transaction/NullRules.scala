package io.sparklance.table.transaction

/** Whether rows that others write by the old schema suit the new one, too. */
sealed trait NullRules

object NullRules {

  /** No field is there without which a row is incomplete, and none that may no longer be null. */
  case object Preserved extends NullRules

  /** Others' rows may lack a value that there must be, so they and the change exclude each other. */
  case object Tightened extends NullRules
}
