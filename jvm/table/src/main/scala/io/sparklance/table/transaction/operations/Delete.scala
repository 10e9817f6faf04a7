package io.sparklance.table.transaction.operations

import io.sparklance.table.Manifest
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict}

/** Gives fragments new deletion files, and drops fragments without remaining rows. */
private[transaction] object Delete {

  def apply(latest: TableState, delete: Operation.Delete): TableState = {
    val dropped = delete.message.deletedFragmentIds.toSet
    val updated = delete.message.updatedFragments.map(f => f.id -> f.deletionFile).toMap
    val message = latest.manifest.message
    // Other concurrent changes of a fragment are kept.
    val fragments = message.fragments
      .filterNot(f => dropped(f.id))
      .map(f => updated.get(f.id).fold(f)(file => f.copy(deletionFile = file)))
    Indices.relevant(latest.copy(manifest = Manifest(message.copy(fragments = fragments))))
  }

  def against(losing: Operation.Delete, winning: Operation): Verdict = {
    val touched = TouchedFragments.of(losing)
    winning match {
      case delete: Operation.Delete => TouchedFragments.rows(touched, losing.affected, delete)
      case update: Operation.Update => TouchedFragments.rows(touched, losing.affected, update)
      case rewrite: Operation.Rewrite => TouchedFragments.common(touched, TouchedFragments.of(rewrite))
      case data: Operation.DataReplacement => TouchedFragments.common(touched, TouchedFragments.of(data))
      case _: Merge => Reasons.newSchema
      case _: Overwrite | _: Restore => Reasons.replaced
      case other: Other => Reasons.unknown(other)
      case _: Append | _: CreateIndex | _: ReserveFragments | _: Project | _: UpdateConfig | _: Clone |
          _: UpdateBases =>
        Verdict.Compatible
    }
  }
}
