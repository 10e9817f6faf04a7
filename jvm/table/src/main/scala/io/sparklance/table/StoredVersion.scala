package io.sparklance.table

import com.google.protobuf.ByteString

import io.sparklance.proto.{transaction => txn}

/** A whole manifest file.
  *
  * @param indexSection
  *   the bytes of the index section, which later versions must not lose or alter
  * @param transaction
  *   the transaction that made this version, if the file has it
  */
final private[sparklance] case class StoredVersion(
    manifest: Manifest,
    indexSection: Option[ByteString],
    transaction: Option[txn.Transaction]
) {
  def origin: Origin = Origin(manifest.version, transaction, manifest.message.transactionFile)
}
