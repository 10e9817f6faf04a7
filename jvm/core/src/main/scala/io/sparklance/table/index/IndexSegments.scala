package io.sparklance.table.index

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
    */
  final case class Segment(index: String, uuid: String, fields: Set[Int], fragments: Option[RoaringSet]) {
    def covers(fragment: Long): Boolean = fragments.exists(_.contains(fragment))
  }

  def of(section: ByteString): Vector[Segment] =
    ProtoBytes.parse(pb.IndexSection, section.toByteArray, "the index section").indices.iterator.map { index =>
      Segment(
        index.name,
        index.uuid.fold("")(_.uuid.toByteArray.map(byte => f"$byte%02x").mkString),
        index.fields.toSet,
        Option(index.fragmentBitmap).filterNot(_.isEmpty).map(RoaringSet.parse)
      )
    }.toVector
}
