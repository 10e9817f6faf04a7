package io.sparklance.index

import scala.util.Using

import com.google.protobuf.ByteString

import io.sparklance.data.ByteRange
import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.io.StorePath
import io.sparklance.proto.{table => pb}
import io.sparklance.table.index.FragmentReuse
import io.sparklance.{LanceFormatException, ProtoBytes}

/** Description of a segment of an index in a manifest.
  *
  * @param isOutdated
  *   whether its files may have addresses of rows that were moved; it then covers no fragment
  */
final private[index] case class DescribedSegment(message: pb.IndexMetadata, isOutdated: Boolean)

private[index] object DescribedSegment {

  /** Returns the segments of an index section, internal ones too. */
  def all(snapshot: Snapshot, section: Option[ByteString]): Vector[DescribedSegment] = {
    val indices = section.fold(Vector.empty[pb.IndexMetadata]) { bytes =>
      ProtoBytes.parse(pb.IndexSection, bytes.toByteArray, "the index section").indices.toVector
    }
    // Ids do not change when rows move.
    val outdated =
      if (snapshot.hasStableRowIds) Set.empty[pb.IndexMetadata]
      else FragmentReuse.outdated(indices)(read(snapshot, _, _))
    indices.map { index =>
      if (outdated(index)) DescribedSegment(FragmentReuse.uncovered(index), isOutdated = true)
      else DescribedSegment(index, isOutdated = false)
    }
  }

  private def read(snapshot: Snapshot, index: pb.IndexMetadata, place: pb.ExternalFile): Array[Byte] = {
    val uuid = SegmentFiles.uuid(index)
      .getOrElse(throw new LanceFormatException("the record of reused fragments has no uuid"))
    if (place.path.contains('/'))
      throw new LanceFormatException(s"the record of reused fragments is in the file '${place.path}'")
    val directory = snapshot.indexDirectory(uuid, index.baseId)
    Using.resource(snapshot.store.open(StorePath.join(directory, place.path))) { file =>
      if (place.size < 0 || place.size > file.size)
        throw new LanceFormatException(
          s"${file.path} has ${file.size} bytes, of which ${place.size} are wanted"
        )
      val bytes = new Array[Byte](place.size.toInt)
      file.read(ByteRange(place.offset, place.size), bytes, 0)
      bytes
    }
  }
}
