package io.sparklance.table.index

import java.time.Instant

import com.google.protobuf.ByteString

import io.sparklance.ProtoBytes
import io.sparklance.proto.{table => pb}

/** What a table's manifest says of a segment of an index.
  *
  * @param kind as the message of its details is called, without `IndexDetails`
  * @param fieldIds of the key, and of values that are kept with it
  * @param builtAt the version of the table
  * @param fragments that it speaks of, if it says so
  * @param sizeBytes of its files, if they are known
  */
final case class IndexDescription(
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

object IndexDescription {

  /** All of an index section, those that are no user's among them. */
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
