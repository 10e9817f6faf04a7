package io.sparklance.table.transaction

import com.google.protobuf.ByteString

import io.sparklance.proto.{table => pb}
import io.sparklance.table.index.HistoricCoverage
import io.sparklance.table.{Manifest, StoredVersion}

/** The input of a next version: the manifest, and the index section, which is copied from version to version.
  */
final private[sparklance] case class TableState(manifest: Manifest, indexSection: Option[ByteString])

private[sparklance] object TableState {

  /** The state before version 1. */
  val Empty: TableState = TableState(Manifest(pb.Manifest()), None)

  /** A stored version, without coverage of indices that cannot be trusted. */
  def of(stored: StoredVersion): TableState =
    TableState(stored.manifest, HistoricCoverage.removed(stored.manifest.message, stored.indexSection))
}
