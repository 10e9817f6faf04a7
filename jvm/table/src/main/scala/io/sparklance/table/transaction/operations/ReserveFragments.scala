package io.sparklance.table.transaction.operations

import io.sparklance.table.Manifest
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict}

/** Raises the highest fragment id, to reserve ids for a rewrite. */
private[transaction] object ReserveFragments {

  def apply(latest: TableState, reserve: Operation.ReserveFragments): TableState = {
    val count = Integer.toUnsignedLong(reserve.count)
    // In a table that never had a fragment, id 0 stays unused, as in pylance.
    val highest = FragmentIds.checked(math.max(latest.manifest.maxFragmentId, 0), count)
    latest.copy(manifest = Manifest(latest.manifest.message.copy(maxFragmentId = Some(highest.toInt))))
  }

  def against(winning: Operation): Verdict = winning match {
    case _: Overwrite | _: Restore => Reasons.replaced
    case other: Other => Reasons.unknown(other)
    case _: Append | _: Delete | _: CreateIndex | _: Rewrite | _: Merge | _: Operation.ReserveFragments |
        _: Update | _: Project | _: UpdateConfig | _: DataReplacement | _: Clone | _: UpdateBases =>
      Verdict.Compatible
  }
}
