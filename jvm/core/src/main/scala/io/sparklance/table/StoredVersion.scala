package io.sparklance.table

import com.google.protobuf.ByteString

import io.sparklance.proto.{transaction => txn}

/** A whole manifest file.
  *
  * @param indexSection the bytes of its message: we maintain no indices, but must not lose or alter them
  * @param transaction what led to this version, if it is kept with it
  */
final case class StoredVersion(
    manifest: Manifest,
    indexSection: Option[ByteString],
    transaction: Option[txn.Transaction]
) {
  def origin: Origin = Origin(manifest.version, transaction, manifest.message.transactionFile)
}
