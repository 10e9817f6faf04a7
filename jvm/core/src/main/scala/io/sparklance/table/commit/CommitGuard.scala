package io.sparklance.table.commit

import io.sparklance.table.Manifest
import io.sparklance.table.transaction.Operation

/** A check of a statement's result against rows that others committed since it read the table: conflicts that
  * the operations alone do not show.
  */
private[sparklance] trait CommitGuard {

  /** @param latest
    *   the version that the next one is built on
    * @param others
    *   operations committed since the last check, or since the version that was read; at least one
    * @throws io.sparklance.RetryableCommitConflictException
    *   if the statement's result depends on their rows
    */
  def check(latest: Manifest, others: Vector[Operation]): Unit
}

private[sparklance] object CommitGuard {

  /** Looks at no rows. */
  val none: CommitGuard = (_, _) => ()
}
