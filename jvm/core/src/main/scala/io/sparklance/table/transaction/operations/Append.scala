package io.sparklance.table.transaction.operations

import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict}
import io.sparklance.table.{FeatureFlags, Manifest}

/** Adds fragments behind those that are there. Indices stay: they name the fragments they cover. */
private[transaction] object Append {

  def apply(latest: TableState, append: Operation.Append): TableState = {
    val added = RowLineage.fresh(latest.manifest, FragmentIds.assign(latest.manifest, append.fragments))
    val message = added.manifest.message
    val appended = message.copy(
      fragments = message.fragments ++ added.fragments,
      readerFeatureFlags = message.readerFeatureFlags | mixedVersions(latest, append),
      writerFeatureFlags = message.writerFeatureFlags | mixedVersions(latest, append)
    )
    latest.copy(manifest = Manifest(appended))
  }

  /** The flag without which every file must be of the table's file version. */
  private def mixedVersions(latest: TableState, append: Operation.Append): Long = {
    val table = latest.manifest.fileVersionName
    val files = append.fragments.flatMap(_.files)
    if (files.forall(_.versionName == table)) 0 else FeatureFlags.bits(FeatureFlags.MixedFileVersions)
  }

  def against(theirs: Operation): Verdict = theirs match {
    case _: Overwrite | _: Restore => Reasons.replaced
    case other: Other => Reasons.unknown(other)
    case _: Append | _: Delete | _: CreateIndex | _: Rewrite | _: Merge | _: ReserveFragments | _: Update |
        _: Project | _: UpdateConfig | _: DataReplacement | _: Clone | _: UpdateBases =>
      Verdict.Compatible
  }
}
