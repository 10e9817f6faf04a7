package io.sparklance.table.transaction.operations

import io.sparklance.LanceUsageException
import io.sparklance.proto.{table => pb}
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict, operations}
import io.sparklance.table.{FeatureFlags, Manifest, RowIdentity, StatisticsKeys}

/** Replaces schema and rows. Keeps config, table metadata and base paths; drops indices and statistics of
  * columns.
  */
private[transaction] object Overwrite {

  def apply(latest: TableState, overwrite: Operation.Overwrite): TableState = {
    val creates = latest.manifest.version == 0
    val identified = identify(latest.manifest, overwrite.identity)
    val added = RowLineage.fresh(identified, FragmentIds.assign(identified, overwrite.fragments))
    val message = added.manifest.message
    val replaced = message.copy(
      fields = overwrite.fields,
      schemaMetadata = overwrite.schemaMetadata,
      fragments = added.fragments,
      // Ids of the old fragments stay used, even if the maximum was not recorded.
      maxFragmentId = Option(latest.manifest.maxFragmentId).filter(_ >= 0).map(_.toInt),
      config = StatisticsKeys.removed(message.config) ++ overwrite.configUpserts,
      basePaths = if (creates) overwrite.initialBases else message.basePaths,
      dataFormat = overwrite.fileVersion
        .map(version => pb.Manifest.DataStorageFormat("lance", version.name))
        .orElse(message.dataFormat)
    )
    val state = TableState(Manifest(replaced), indexSection = None)
    overwrite.settings.fold(state)(operations.UpdateConfig(state, _))
  }

  private def identify(manifest: Manifest, identity: RowIdentity): Manifest = identity match {
    case RowIdentity.StableId if manifest.version == 0 => FeatureFlags.withStableRowIds(manifest)
    case RowIdentity.StableId if !manifest.hasStableRowIds =>
      throw new LanceUsageException(
        "The table was created without stable row ids, so its rows cannot have any now. Create another " +
          "table with them."
      )
    case RowIdentity.StableId | RowIdentity.Address => manifest
  }

  /** Replaces whatever was committed meanwhile, except by another overwrite. */
  def against(losing: Operation.Overwrite, winning: Operation): Verdict = winning match {
    case overwrite: Operation.Overwrite =>
      keys(losing, overwrite.configUpserts.keySet, Set.empty)
        .and(Verdict.Retryable("both replace the whole table"))
    case config: UpdateConfig =>
      val change = operations.UpdateConfig.configChange(config)
      keys(losing, change.set, change.removed)
    case other: Other => Reasons.unknown(other)
    case _: Append | _: Delete | _: CreateIndex | _: Rewrite | _: Merge | _: Restore | _: ReserveFragments |
        _: Update | _: Project | _: DataReplacement | _: Clone | _: UpdateBases =>
      Verdict.Compatible
  }

  private def keys(losing: Operation.Overwrite, set: Set[String], removed: Set[String]): Verdict =
    Verdict.incompatibleIf(
      losing.configUpserts.keySet.exists(key => set(key) || removed(key)),
      "both write the same key of the config"
    )
}
