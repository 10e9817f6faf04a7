package io.sparklance.table.transaction.operations

import io.sparklance.table.transaction.{Operation, TableState}
import io.sparklance.table.{FeatureFlags, Manifest}

/** Adds fragments behind those that are there. Indices stay: they name the fragments they cover. */
private[transaction] object Append {

  def apply(latest: TableState, append: Operation.Append): TableState = {
    val message = latest.manifest.message
    val appended = message.copy(
      fragments = message.fragments ++ FragmentIds.assign(latest.manifest, append.fragments),
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
}
