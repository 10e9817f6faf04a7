package io.sparklance.table.transaction.operations

import io.sparklance.LanceUsageException
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict}
import io.sparklance.table.{FeatureFlags, Manifest}

/** Makes an older version's manifest the next one. Ids that were assigned since stay used. */
private[transaction] object Restore {

  def apply(latest: TableState, old: TableState): TableState = {
    val (now, before) = (latest.manifest, old.manifest)
    if (now.hasStableRowIds && !before.hasStableRowIds)
      throw new LanceUsageException(
        s"Version ${before.version} cannot be restored: rows have stable ids only since a later version, " +
          "and without them row addresses would be taken for ids. Write its rows to the table again " +
          "instead."
      )
    val sticky = FeatureFlags.bits(FeatureFlags.MixedFileVersions)
    val message = before.message
    val restored = message.copy(
      maxFragmentId = Option(math.max(now.maxFragmentId, before.maxFragmentId)).filter(_ >= 0).map(_.toInt),
      nextRowId = math.max(now.message.nextRowId, message.nextRowId),
      readerFeatureFlags = message.readerFeatureFlags | now.message.readerFeatureFlags & sticky,
      writerFeatureFlags = message.writerFeatureFlags | now.message.writerFeatureFlags & sticky
    )
    TableState(Manifest(restored), old.indexSection)
  }

  def against(winning: Operation): Verdict = winning match {
    case other: Other => Reasons.unknown(other)
    case _: Append | _: Delete | _: Overwrite | _: CreateIndex | _: Rewrite | _: Merge | _: Operation.Restore |
        _: ReserveFragments | _: Update | _: Project | _: UpdateConfig | _: DataReplacement | _: Clone |
        _: UpdateBases =>
      Verdict.Compatible
  }
}
