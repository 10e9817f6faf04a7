package io.sparklance.dataset.changes

/** The kind of a changed row.
  *
  * @param name
  *   value of `_change_type`
  */
sealed abstract private[sparklance] class ChangeKind(val name: String) extends Product with Serializable

private[sparklance] object ChangeKind {
  case object Insert extends ChangeKind("insert")
  case object UpdatePreimage extends ChangeKind("update_preimage")
  case object UpdatePostimage extends ChangeKind("update_postimage")
  case object Delete extends ChangeKind("delete")
}
