package io.sparklance.table.transaction

/** Whether rows that others write with the old schema are valid in the new one. */
sealed private[sparklance] trait NullRules

private[sparklance] object NullRules {

  /** The new schema has neither new required fields nor fields that became NOT NULL. */
  case object Preserved extends NullRules

  /** Rows of others may lack a required value, so concurrent writes conflict with the change. */
  case object Tightened extends NullRules
}
