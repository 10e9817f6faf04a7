package io.sparklance.index.build

import java.nio.ByteBuffer
import java.time.Instant
import java.util.UUID

import com.google.protobuf.ByteString
import com.google.protobuf.any.Any

import io.sparklance.LanceFormatException
import io.sparklance.dataset.Dataset
import io.sparklance.index.{DescribedSegment, IndexKind}
import io.sparklance.io.StorePath
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.table.Versions
import io.sparklance.table.index.{IndexKinds, RoaringSet}
import io.sparklance.table.transaction.Operation

/** A new segment, whose files exist.
  *
  * @param builtAt
  *   version of the table from which it was built
  */
final private[sparklance] case class NewSegment(
    index: String,
    uuid: UUID,
    details: SegmentDetails,
    fieldId: Int,
    builtAt: Long,
    fragments: Set[Long],
    files: Vector[WrittenIndexFile]
)

/** A segment of an index of a version.
  *
  * @param isOutdated
  *   whether its files may have addresses of rows that were moved; it then covers no fragment
  */
final private[sparklance] class StoredSegment(
    private[index] val message: pb.IndexMetadata,
    val isOutdated: Boolean
) {
  def index: String = message.name
  def isSystem: Boolean = IndexKinds.isSystem(message.name)
  def fieldIds: Vector[Int] = message.fields.toVector
  def typeUrl: String = message.indexDetails.fold("")(_.typeUrl)
  def builtAt: Long = message.datasetVersion
  def version: Int = message.indexVersion.getOrElse(0)

  /** The kind, if it is known. */
  def known: Option[IndexKind] = IndexKind.of(message)

  /** Name of the kind's details, such as BTree. */
  def kind: String = typeUrl.split('.').last.stripSuffix("IndexDetails")

  /** Encoded details of its kind. */
  def details: ByteString = message.indexDetails.fold(ByteString.EMPTY)(_.value)

  def createdAt: Option[Instant] = message.createdAt.map(Instant.ofEpochMilli)

  /** Size of its files, if recorded. */
  def sizeBytes: Option[Long] = Option.when(message.files.nonEmpty)(message.files.map(_.sizeBytes).sum)

  /** Returns the directory of its files, which may be in another table. */
  def directory(dataset: Dataset): String = {
    val bytes = message.uuid.fold(ByteString.EMPTY)(_.uuid).asReadOnlyByteBuffer
    if (bytes.remaining != 16)
      throw new LanceFormatException(s"a segment of the index $index has a uuid of ${bytes.remaining} bytes")
    dataset.indexDirectory(new UUID(bytes.getLong, bytes.getLong), message.baseId)
  }

  /** Sizes of its files by name, if recorded. */
  def sizes: Map[String, Long] = message.files.map(file => file.path -> file.sizeBytes).toMap

  /** Size of a file, if recorded. */
  def sizeOf(file: String): Option[Long] = message.files.find(_.path == file).map(_.sizeBytes)

  /** Whether it is known to cover no fragment. */
  def isEmpty: Boolean = fragments.exists(_.last < 0)

  /** The covered fragments; None if unknown. */
  def fragments: Option[RoaringSet] =
    Option.unless(message.fragmentBitmap.isEmpty)(RoaringSet.parse(message.fragmentBitmap))
}

/** The indices of a version, and changes of them. */
private[sparklance] object IndexEntries {

  /** Returns all segments, including those of internal indices. */
  def of(dataset: Dataset): Vector[StoredSegment] = {
    val versions = new Versions(dataset.store, dataset.root)
    val section = versions.find(dataset.version).flatMap(versions.readWhole(_).indexSection)
    DescribedSegment.all(dataset, section).map(each => new StoredSegment(each.message, each.isOutdated))
  }

  /** Returns the directory of a segment. */
  def directory(root: String, uuid: UUID): String = StorePath.join(root, "_indices", uuid.toString)

  /** Returns the operation that adds segments and drops others. */
  def change(
      added: Vector[NewSegment],
      dropped: Vector[StoredSegment]
  ): Operation = Operation.CreateIndex(
    txn.Transaction.CreateIndex(
      added.map(message),
      dropped.map(_.message)
    )
  )

  private def message(segment: NewSegment) = pb.IndexMetadata(
    uuid = Some(pb.UUID(bytes(segment.uuid))),
    fields = Vector(segment.fieldId),
    name = segment.index,
    datasetVersion = segment.builtAt,
    fragmentBitmap = RoaringSet.of(segment.fragments).encode,
    indexDetails = Some(Any(segment.details.typeUrl, segment.details.value)),
    indexVersion = Some(segment.details.version),
    createdAt = Some(System.currentTimeMillis()),
    files = segment.files.map(file => pb.IndexFile(file.name, file.sizeBytes))
  )

  private def bytes(uuid: UUID): ByteString = {
    val bytes =
      ByteBuffer.allocate(16).putLong(uuid.getMostSignificantBits).putLong(uuid.getLeastSignificantBits)
    ByteString.copyFrom(bytes.array)
  }
}
