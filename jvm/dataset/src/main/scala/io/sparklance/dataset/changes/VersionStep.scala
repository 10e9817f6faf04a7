package io.sparklance.dataset.changes

import io.sparklance.table.transaction.Transaction

/** A version and the transaction that made it, if the table still has that. */
final private[sparklance] case class VersionStep(version: Long, made: Option[Transaction]) {
  def effect: CommitEffect = made.fold[CommitEffect](CommitEffect.Unrecorded)(CommitEffect.of(version, _))
}
