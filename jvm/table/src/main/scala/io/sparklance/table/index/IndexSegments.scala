package io.sparklance.table.index

import java.nio.ByteBuffer
import java.util.UUID

import com.google.protobuf.ByteString

import io.sparklance.ProtoBytes
import io.sparklance.proto.{table => pb}

/** The segments of a table's indices, with the fragments that each covers. */
private[sparklance] object IndexSegments {

  /** @param index
    *   name of the index
    * @param fields
    *   ids of the indexed fields
    * @param fragments
    *   covered fragments, if recorded
    * @param builtAt
    *   version of the table from which it was built
    */
  final case class Segment(
      index: String,
      uuid: String,
      fields: Set[Int],
      fragments: Option[RoaringSet],
      builtAt: Long
  ) {
    def covers(fragment: Long): Boolean = fragments.exists(_.contains(fragment))
  }

  /** @param base
    *   number of the base that holds it, if not the table
    * @param files
    *   names in its directory
    */
  final case class Recorded(uuid: UUID, base: Option[Int], files: Vector[String])

  /** Returns the segments whose files are recorded. */
  def recorded(section: ByteString): Vector[Recorded] = messages(section).flatMap { index =>
    val bytes = index.uuid.map(_.uuid.toByteArray).filter(_.length == 16).map(ByteBuffer.wrap)
    bytes.filter(_ => index.files.nonEmpty).map { uuid =>
      Recorded(new UUID(uuid.getLong, uuid.getLong), index.baseId, index.files.iterator.map(_.path).toVector)
    }
  }

  private def messages(section: ByteString): Vector[pb.IndexMetadata] =
    ProtoBytes.parse(pb.IndexSection, section.toByteArray, "the index section").indices.toVector

  def of(section: ByteString): Vector[Segment] =
    messages(section).map { index =>
      Segment(
        index.name,
        index.uuid.fold("")(_.uuid.toByteArray.map(byte => f"$byte%02x").mkString),
        index.fields.toSet,
        Option(index.fragmentBitmap).filterNot(_.isEmpty).map(RoaringSet.parse),
        index.datasetVersion
      )
    }
}
