package io.sparklance.table.transaction.operations

import io.sparklance.LanceUsageException
import io.sparklance.proto.{table => pb}
import io.sparklance.table.index.IndexSegments
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict}
import io.sparklance.table.{FeatureFlags, Fragment, Manifest, RowIdentity}

/** Replaces the schema and all fragments: the existing ones first, in their new state, then new ones. */
private[transaction] object Merge {

  def apply(latest: TableState, merge: Operation.Merge): TableState = merge.identity match {
    case RowIdentity.StableId if !latest.manifest.hasStableRowIds => identified(latest, merge)
    case RowIdentity.StableId | RowIdentity.Address => merged(latest, merge)
  }

  /** Assigns stable ids to existing rows. Refused with indices, which would take ids for addresses. */
  private def identified(latest: TableState, merge: Operation.Merge): TableState = {
    val message = latest.manifest.message
    val indices = latest.indexSection.fold(Vector.empty[IndexSegments.Segment])(IndexSegments.of)
    if (indices.nonEmpty)
      throw new LanceUsageException(
        "The table has indices, which identify rows by address: " +
          s"${indices.map(_.index).distinct.mkString(", ")}. Drop them, give the rows ids, and rebuild " +
          "them."
      )
    val fragments = merge.message.fragments
    if (fragments.map(_.clearRowIdSequence) != message.fragments.map(_.clearRowIdSequence))
      throw new LanceUsageException("Stable ids must be given to all rows of the table, but some rows " +
        "are missing.")
    if (fragments.exists(_.physicalRows == 0))
      throw new LanceUsageException(
        "The table does not record the row counts of some fragments, as old releases left it, so its " +
          "rows cannot be given ids. Compact it first."
      )
    val next =
      message.copy(fragments = fragments, nextRowId = message.nextRowId + fragments.map(_.physicalRows).sum)
    latest.copy(manifest = FeatureFlags.withStableRowIds(Manifest(next)))
  }

  private def merged(latest: TableState, merge: Operation.Merge): TableState = {
    val manifest = latest.manifest
    val there = manifest.message.fragments.map(f => f.id -> f).toMap
    val (merged, added) = merge.message.fragments.splitAt(there.size)
    if (merged.map(_.id).toSet != there.keySet || merged.exists(f => !sameRows(f, there(f.id))))
      throw new LanceUsageException(
        "A merge must name all fragments of the table with their rows, before any that it adds."
      )
    val fresh = RowLineage.fresh(manifest, FragmentIds.assign(manifest, added.map(Fragment(_)).toVector))
    val kept = merged.map { f =>
      if (FieldFiles.same(f, there(f.id)) || !manifest.hasStableRowIds) f else RowLineage.updated(manifest, f)
    }
    val next = fresh.manifest.message.copy(
      fields = merge.message.schema,
      schemaMetadata = merge.message.schemaMetadata,
      fragments = kept ++ fresh.fragments
    )
    val pruned = merged.foldLeft(latest.indexSection) { (section, f) =>
      Indices.withoutFragments(section, rewrittenFields(there(f.id), f), Set(f.id))
    }
    Indices.relevant(TableState(Manifest(next), pruned))
  }

  def against(winning: Operation): Verdict = winning match {
    case _: Append | _: Delete | _: Update | _: Rewrite | _: DataReplacement =>
      Verdict.Retryable("fragments were changed, and it names all of them")
    case _: Merge => Reasons.newSchema
    case _: Project => Verdict.Incompatible("it names columns that were changed or dropped")
    case _: Overwrite | _: Restore => Reasons.replaced
    case other: Other => Reasons.unknown(other)
    case _: CreateIndex | _: ReserveFragments | _: UpdateConfig | _: Clone | _: UpdateBases =>
      Verdict.Compatible
  }

  private def sameRows(a: pb.DataFragment, b: pb.DataFragment): Boolean =
    a.physicalRows == b.physicalRows && a.rowIdSequence == b.rowIdSequence

  /** Returns the fields that are in another file than before, or had none: their values were null. */
  private def rewrittenFields(before: pb.DataFragment, after: pb.DataFragment): Set[Int] = {
    val old = fileOfField(before)
    fileOfField(after).collect { case (field, path) if !old.get(field).contains(path) => field }.toSet
  }

  private def fileOfField(fragment: pb.DataFragment): Map[Int, String] =
    (for (file <- fragment.files; field <- file.fields if field >= 0) yield field -> file.path).toMap
}
