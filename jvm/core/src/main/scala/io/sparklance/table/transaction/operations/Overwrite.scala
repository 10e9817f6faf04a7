package io.sparklance.table.transaction.operations

import io.sparklance.proto.{table => pb}
import io.sparklance.table.Manifest
import io.sparklance.table.transaction.{Operation, TableState}

/** Replaces schema and rows. Config, table metadata and base paths stay, indices go: their rows are no more. */
private[transaction] object Overwrite {

  def apply(latest: TableState, overwrite: Operation.Overwrite): TableState = {
    val message = latest.manifest.message
    val creates = latest.manifest.version == 0
    val replaced = message.copy(
      fields = overwrite.fields,
      schemaMetadata = overwrite.schemaMetadata,
      fragments = FragmentIds.assign(latest.manifest, overwrite.fragments),
      // The old fragments' ids stay used, even where no number recorded it.
      maxFragmentId = Option(latest.manifest.maxFragmentId).filter(_ >= 0).map(_.toInt),
      config = message.config ++ overwrite.configUpserts,
      basePaths = if (creates) overwrite.initialBases else message.basePaths,
      dataFormat = overwrite.fileVersion
        .map(version => pb.Manifest.DataStorageFormat("lance", version.name))
        .orElse(message.dataFormat)
    )
    TableState(Manifest(replaced), indexSection = None)
  }
}
