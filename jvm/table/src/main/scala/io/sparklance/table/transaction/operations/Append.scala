package io.sparklance.table.transaction.operations

import io.sparklance.table.Manifest
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict}

/** Adds fragments after the existing ones. Indices stay valid: they list the fragments they cover. */
private[transaction] object Append {

  def apply(latest: TableState, append: Operation.Append): TableState = {
    val added = RowLineage.fresh(latest.manifest, FragmentIds.assign(latest.manifest, append.fragments))
    val message = added.manifest.message
    latest.copy(manifest = Manifest(message.copy(fragments = message.fragments ++ added.fragments)))
  }

  def against(winning: Operation): Verdict = winning match {
    case _: Overwrite | _: Restore => Reasons.replaced
    case other: Other => Reasons.unknown(other)
    case _: Append | _: Delete | _: CreateIndex | _: Rewrite | _: Merge | _: ReserveFragments | _: Update |
        _: Project | _: UpdateConfig | _: DataReplacement | _: Clone | _: UpdateBases =>
      Verdict.Compatible
  }
}
