package io.sparklance.table.transaction.operations

import io.sparklance.LanceUsageException
import io.sparklance.proto.{table => pb}
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict, operations}
import io.sparklance.table.{Fragment, Manifest}

/** Puts fragments in the place of others, with the same rows. Indices no longer cover these rows, but for those that the
  * transaction brings remapped.
  */
private[transaction] object Rewrite {

  def apply(latest: TableState, rewrite: Operation.Rewrite): TableState = {
    val message = latest.manifest.message
    val old = TouchedFragments.of(rewrite)
    val missing = old -- message.fragments.map(_.id)
    if (missing.nonEmpty)
      throw new LanceUsageException(
        s"A rewrite replaces fragment ${missing.min}, which the table does not have."
      )
    val groups = rewrite.message.groups.flatMap(_.newFragments) ++ rewrite.message.newFragments
    val (reserved, fresh) = groups.partition(_.id != 0)
    val added = reserved ++ FragmentIds.assign(latest.manifest, fresh.map(Fragment(_)).toVector)
    TableState(
      Manifest(message.copy(fragments = message.fragments.filterNot(f => old(f.id)) ++ added)),
      Indices.remapped(latest.indexSection, rewrite.message, old, added.map(_.id).toSet)
    )
  }

  def against(mine: Operation.Rewrite, theirs: Operation): Verdict = {
    val moved = TouchedFragments.of(mine)
    theirs match {
      case delete: Delete => TouchedFragments.common(moved, TouchedFragments.of(delete))
      case update: Update => TouchedFragments.common(moved, TouchedFragments.of(update))
      case rewrite: Operation.Rewrite => TouchedFragments.common(moved, TouchedFragments.of(rewrite))
      case data: DataReplacement => TouchedFragments.common(moved, TouchedFragments.of(data))
      case CreateIndex(message) => indices(moved, message.newIndices, message.removedIndices)
      case _: Merge => Reasons.newSchema
      case _: Overwrite | _: Restore => Reasons.replaced
      case other: Other => Reasons.unknown(other)
      case _: Append | _: ReserveFragments | _: Project | _: UpdateConfig | _: Clone | _: UpdateBases =>
        Verdict.Compatible
    }
  }

  /** A new index must not speak of rows where they no longer are. A map of moved rows is no index. */
  private def indices(
      moved: Set[Long],
      added: Seq[pb.IndexMetadata],
      removed: Seq[pb.IndexMetadata]
  ): Verdict =
    if (added.exists(_.name == operations.CreateIndex.FragmentReuse))
      Verdict.incompatibleIf(
        added.size != 1 || removed.size != 1,
        "the map of moved rows was changed along with indices"
      )
    else
      Verdict.retryableIf(
        added.exists(operations.CreateIndex.covers(_, moved)),
        "rows were indexed that it moves"
      )
}
