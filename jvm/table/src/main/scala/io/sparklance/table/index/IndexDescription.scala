package io.sparklance.table.index

import java.time.Instant

import com.google.protobuf.ByteString

import io.sparklance.ProtoBytes
import io.sparklance.proto.{table => pb}

/** A manifest's description of an index segment.
  *
  * @param kind
  *   name of its details message, without `IndexDetails`
  * @param fieldIds
  *   ids of the key, and of covering values
  * @param builtAt
  *   the table version from which it was built
  * @param fragments
  *   the fragments that it covers, if recorded
  * @param sizeBytes
  *   size of its files, if known
  */
final private[sparklance] case class IndexDescription(
    name: String,
    uuid: String,
    kind: Option[String],
    fieldIds: Vector[Int],
    builtAt: Long,
    fragments: Option[RoaringSet],
    version: Option[Int],
    createdAt: Option[Instant],
    sizeBytes: Option[Long]
)

private[sparklance] object IndexDescription {

  /** Returns all segments of an index section, including internal ones. */
  def all(section: ByteString): Vector[IndexDescription] =
    ProtoBytes.parse(
      pb.IndexSection,
      section.toByteArray,
      "the index section"
    ).indices.iterator.map(of).toVector

  private def of(index: pb.IndexMetadata): IndexDescription = IndexDescription(
    index.name,
    index.uuid.fold("")(_.uuid.toByteArray.map(byte => f"$byte%02x").mkString),
    index.indexDetails.map(details => details.typeUrl.split('.').last.stripSuffix("IndexDetails")),
    index.fields.toVector,
    index.datasetVersion,
    Option(index.fragmentBitmap).filterNot(_.isEmpty).map(RoaringSet.parse),
    index.indexVersion,
    index.createdAt.map(Instant.ofEpochMilli),
    Option.when(index.files.nonEmpty)(index.files.map(_.sizeBytes).sum)
  )
}
