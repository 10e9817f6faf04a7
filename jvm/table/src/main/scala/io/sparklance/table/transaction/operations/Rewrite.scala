package io.sparklance.table.transaction.operations

import io.sparklance.LanceUsageException
import io.sparklance.proto.{table => pb}
import io.sparklance.table.index.IndexKinds
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict, operations}
import io.sparklance.table.{Fragment, Manifest}

/** Replaces fragments by others with the same rows. Indices no longer cover these rows, except those that the
  * transaction remaps.
  */
private[transaction] object Rewrite {

  def apply(latest: TableState, rewrite: Operation.Rewrite): TableState = {
    val message = latest.manifest.message
    val old = TouchedFragments.of(rewrite)
    val missing = old -- message.fragments.map(_.id)
    if (missing.nonEmpty)
      throw new LanceUsageException(
        s"The table has no fragment ${missing.min}, which a rewrite replaces."
      )
    val (groups, _) = groupsOf(rewrite).foldLeft((Vector.empty[Moved], latest.manifest)) {
      case ((done, manifest), (before, after)) =>
        val (reserved, fresh) = after.partition(_.id != 0)
        val added = reserved ++ FragmentIds.assign(manifest, fresh.map(Fragment(_)).toVector)
        val used = manifest.message.copy(fragments = manifest.message.fragments ++ added)
        (done :+ Moved(before.map(_.id).toSet, added.toVector), Manifest(used))
    }
    val kept = message.fragments.filterNot(f => old(f.id))
    TableState(
      Manifest(message.copy(fragments = kept ++ groups.flatMap(_.after))),
      Indices.remapped(
        latest,
        rewrite.message,
        groups.map(group => group.before -> group.after.map(_.id).toSet)
      )
    )
  }

  /** A group: ids of the replaced fragments, and the new fragments with their ids. */
  private case class Moved(before: Set[Long], after: Vector[pb.DataFragment])

  /** Returns the groups; old writers had a single one, in other fields. */
  private def groupsOf(rewrite: Operation.Rewrite): Seq[(Seq[pb.DataFragment], Seq[pb.DataFragment])] = {
    val message = rewrite.message
    val only = Option.when(message.oldFragments.nonEmpty)(message.oldFragments -> message.newFragments)
    message.groups.map(group => group.oldFragments -> group.newFragments) ++ only
  }

  def against(losing: Operation.Rewrite, winning: Operation): Verdict = {
    val moved = TouchedFragments.of(losing)
    winning match {
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

  /** Finds conflicts with new indices, which must not refer to moved rows. The map of moved rows is no index.
    */
  private def indices(
      moved: Set[Long],
      added: Seq[pb.IndexMetadata],
      removed: Seq[pb.IndexMetadata]
  ): Verdict =
    if (added.exists(_.name == IndexKinds.FragmentReuse))
      Verdict.incompatibleIf(
        added.size != 1 || removed.size != 1,
        "the map of moved rows was changed together with indices"
      )
    else
      Verdict.retryableIf(
        added.exists(operations.CreateIndex.covers(_, moved)),
        "it moves rows that were indexed"
      )
}
