package io.sparklance.table.transaction

import com.google.protobuf.ByteString

import io.sparklance.proto.{table => pb}
import io.sparklance.table.Manifest

/** What a next version is made of: the manifest and the index section, which goes from version to version unread. */
final case class TableState(manifest: Manifest, indexSection: Option[ByteString])

object TableState {

  /** The state before version 1. */
  val Empty: TableState = TableState(Manifest(pb.Manifest()), None)
}
