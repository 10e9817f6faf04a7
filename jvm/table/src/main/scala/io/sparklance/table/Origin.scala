package io.sparklance.table

import com.google.protobuf.timestamp.Timestamp
import com.google.protobuf.{CodedInputStream, InvalidProtocolBufferException}

import io.sparklance.LanceFormatException
import io.sparklance.proto.{table => pb, transaction => txn}

/** The transaction that made a version, from its manifest file.
  *
  * @param transaction
  *   the transaction, if it is in that file
  * @param transactionFile
  *   name of the transaction's own file; empty if there is none
  */
final private[sparklance] case class Origin(
    version: Long,
    transaction: Option[txn.Transaction],
    transactionFile: String
)

/** The fields of a manifest that locate its transaction. Parsing creates no objects for the rest, fragments
  * above all.
  */
final private[table] case class OriginFields(
    version: Long,
    transactionFile: String,
    transactionSection: Option[Long],
    timestamp: Option[Timestamp]
) {

  /** Identity of the version; None if it depends on skipped fields. */
  def identity: Option[VersionIdentity] =
    VersionIdentity.ofTransaction(version, transactionFile, timestamp)
}

private[table] object OriginFields {
  private def tag(field: Int, wireType: Int) = field << 3 | wireType

  private val Version = tag(pb.Manifest.VERSION_FIELD_NUMBER, 0)
  private val File = tag(pb.Manifest.TRANSACTION_FILE_FIELD_NUMBER, 2)
  private val Time = tag(pb.Manifest.TIMESTAMP_FIELD_NUMBER, 2)
  private val Section = tag(pb.Manifest.TRANSACTION_SECTION_FIELD_NUMBER, 0)
  private val OldSection = tag(pb.Manifest.TRANSACTION_SECTION_DEPRECATED_FIELD_NUMBER, 0)
  private val End = 0

  /** @param bytes the encoded manifest message */
  def parse(bytes: Array[Byte]): OriginFields =
    try {
      val in = CodedInputStream.newInstance(bytes)
      var version = 0L
      var file = ""
      var section, oldSection = Option.empty[Long]
      var timestamp = Option.empty[Timestamp]
      var next = in.readTag()
      while (next != End) {
        next match {
          case Version => version = in.readUInt64()
          case File => file = in.readStringRequireUtf8()
          case Time => timestamp = Some(Timestamp.parseFrom(in.readByteArray()))
          case Section => section = Some(in.readUInt64())
          case OldSection => oldSection = Some(in.readUInt64())
          case other => val _ = in.skipField(other)
        }
        next = in.readTag()
      }
      OriginFields(version, file, section.orElse(oldSection), timestamp)
    } catch {
      case e: InvalidProtocolBufferException =>
        throw new LanceFormatException(s"the manifest is not a valid message: ${e.getMessage}", cause = e)
    }
}
