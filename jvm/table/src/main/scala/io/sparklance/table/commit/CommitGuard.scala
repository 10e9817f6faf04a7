package io.sparklance.table.commit

import io.sparklance.table.Manifest
import io.sparklance.table.transaction.Operation

/** A check of a transaction before each attempt to commit it: for conflicts that the operations alone do not
  * show, such as rows that others added and the transaction's statement would have changed.
  */
private[sparklance] trait CommitGuard {

  /** @param latest
    *   the version that the next one is built on
    * @param others
    *   operations committed since the last check, or since the version that was read
    * @throws io.sparklance.RetryableCommitConflictException
    *   if the transaction cannot be built on it
    */
  def check(latest: Manifest, others: Vector[Operation]): Unit
}

private[sparklance] object CommitGuard {

  /** Looks at no rows. */
  val none: CommitGuard = (_, _) => ()
}
