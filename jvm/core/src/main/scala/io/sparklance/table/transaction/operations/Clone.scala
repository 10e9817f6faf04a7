package io.sparklance.table.transaction.operations

import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, Verdict}

/** Makes a table or branch from another: its first version, so that nothing can come before it. */
private[transaction] object Clone {

  def against(theirs: Operation): Verdict = theirs match {
    case other: Other => Reasons.unknown(other)
    case _: Append | _: Delete | _: Overwrite | _: CreateIndex | _: Rewrite | _: Merge | _: Restore |
        _: ReserveFragments | _: Update | _: Project | _: UpdateConfig | _: DataReplacement |
        _: Operation.Clone | _: UpdateBases =>
      Verdict.Compatible
  }
}
