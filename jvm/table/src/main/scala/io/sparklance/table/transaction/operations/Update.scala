package io.sparklance.table.transaction.operations

import io.sparklance.proto.transaction.Transaction.{KeyExistenceFilter, UpdateMode}
import io.sparklance.proto.{table => pb}
import io.sparklance.table.index.RoaringSet
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict}
import io.sparklance.table.{Fragment, Manifest}

/** Drops or replaces fragments and adds new ones with the changed rows. */
private[transaction] object Update {

  def apply(latest: TableState, update: Operation.Update): TableState = {
    val manifest = latest.manifest
    val dropped = update.message.removedFragmentIds.toSet
    val updated = update.message.updatedFragments.map(f => f.id -> f).toMap
    val kept = manifest.message.fragments
      .filterNot(f => dropped(f.id))
      .map(f => updated.get(f.id).fold(f)(now => stamped(manifest, update, now.copy(overlays = f.overlays))))
    val added = FragmentIds.assign(manifest, update.message.newFragments.map(Fragment(_)).toVector)
    val lineage = RowLineage.moved(manifest, added)
    // A projection may have dropped columns since the files were written.
    val next = FieldFiles.live(lineage.manifest.message.copy(fragments = kept ++ lineage.fragments))
    val onlyDeleted = update.affected.filter(_.columns.isEmpty).map(_.asRead.id)
    val pruned = Indices.withoutFragments(
      latest.indexSection,
      update.message.fieldsModified.toSet,
      updated.keySet -- onlyDeleted
    )
    Indices.relevant(TableState(Manifest(next), pruned))
  }

  /** Marks the rows, given by offsets, whose columns were changed in place. */
  private def stamped(
      manifest: Manifest,
      update: Operation.Update,
      fragment: pb.DataFragment
  ): pb.DataFragment = {
    val message = update.message
    val bitmap = message.updatedFragmentOffsetBitmaps.get(fragment.id).filterNot(_.isEmpty)
    val listed =
      message.updatedFragmentOffsets.get(fragment.id).map(_.values.map(Integer.toUnsignedLong).toSet)
    val changed = bitmap.map(bytes => RoaringSet.parse(bytes).contains(_)).orElse(listed.map(set => set(_)))
    val inPlace = message.updateMode == UpdateMode.REWRITE_COLUMNS ||
      update.affected.exists(_.columns.isDefined)
    if (!manifest.hasStableRowIds || !inPlace) fragment
    else changed.fold(fragment)(RowLineage.updated(manifest, fragment, _))
  }

  def against(losing: Operation.Update, winning: Operation): Verdict = {
    val touched = TouchedFragments.of(losing)
    winning match {
      case _: Append =>
        Verdict.retryableIf(
          losing.message.insertedRows.isDefined && !losing.comparesKeys,
          "rows were added, perhaps with keys that it inserts"
        )
      case delete: Operation.Delete => TouchedFragments.rows(touched, losing.affected, delete)
      case update: Operation.Update =>
        keys(losing, update).and(TouchedFragments.rows(touched, losing.affected, update))
      case rewrite: Operation.Rewrite => TouchedFragments.common(touched, TouchedFragments.of(rewrite))
      case data: Operation.DataReplacement => TouchedFragments.common(touched, TouchedFragments.of(data))
      case Project(message) =>
        val left = message.schema.map(_.id).toSet
        Verdict.retryableIf(
          losing.message.fieldsModified.exists(!left(_)),
          "it changes a column that was dropped"
        )
      case _: Merge => Reasons.newSchema
      case _: Overwrite | _: Restore => Reasons.replaced
      case other: Other => Reasons.unknown(other)
      case _: CreateIndex | _: ReserveFragments | _: UpdateConfig | _: Clone | _: UpdateBases =>
        Verdict.Compatible
    }
  }

  /** Conflict of two merges by primary key that may insert the same key. */
  private def keys(losing: Operation.Update, winning: Operation.Update): Verdict =
    (losing.message.insertedRows.filterNot(_ => losing.comparesKeys), winning.message.insertedRows) match {
      case (None, _) => Verdict.Compatible
      case (Some(_), None) => Verdict.Retryable("it is not known what keys the other one inserted")
      case (Some(a), Some(b)) =>
        Verdict.retryableIf(mayMeet(a, b), "both may have inserted the same key")
    }

  /** Whether two key filters may have a key in common. Compares only exact filters of the same columns. */
  private def mayMeet(a: KeyExistenceFilter, b: KeyExistenceFilter): Boolean =
    (a.data.exact, b.data.exact) match {
      case (Some(losing), Some(winning)) if a.fieldIds == b.fieldIds =>
        losing.keyHashes.toSet.intersect(winning.keyHashes.toSet).nonEmpty
      case _ => true
    }
}
