package io.sparklance.index

import java.nio.ByteBuffer
import java.util.UUID

import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.proto.{table => pb}

/** The files of a segment.
  *
  * @param sizes
  *   their sizes by name, if recorded
  */
final private[sparklance] case class SegmentFiles(directory: String, sizes: Map[String, Long])

private[sparklance] object SegmentFiles {

  /** Returns the uuid of a segment, if it has the 16 bytes of one. */
  def uuid(index: pb.IndexMetadata): Option[UUID] =
    index.uuid.map(_.uuid.toByteArray).filter(_.length == 16).map(ByteBuffer.wrap).map { bytes =>
      new UUID(bytes.getLong, bytes.getLong)
    }

  /** Returns the files of a segment, which may be in another table. */
  def of(index: pb.IndexMetadata, uuid: UUID, snapshot: Snapshot): SegmentFiles =
    SegmentFiles(
      snapshot.indexDirectory(uuid, index.baseId),
      index.files.map(file => file.path -> file.sizeBytes).toMap
    )
}
