package io.sparklance.table.index

import com.google.protobuf.ByteString

import io.sparklance.ProtoBytes
import io.sparklance.proto.{table => pb}

/** A record of fragments whose rows a compaction moved without a change of the indices' files.
  *
  * From the next commit on, the reference lets the bitmaps of indices name the new fragments, while the files
  * still have the old addresses. Who does not translate these must not use such files. An ordinary compaction
  * that follows translates some of them twice, and nothing shows which, so no one can tell which to trust.
  */
private[sparklance] object FragmentReuse {

  /** Returns the segments whose files may have addresses of rows that were moved. Of a record that is not
    * understood, these are all.
    *
    * @param external
    *   reads a part of a file in the directory of a segment
    */
  def outdated(indices: Seq[pb.IndexMetadata])(
      external: (pb.IndexMetadata, pb.ExternalFile) => Array[Byte]
  ): Set[pb.IndexMetadata] = {
    val records = indices.filter(_.name == IndexKinds.FragmentReuse)
    if (records.isEmpty) Set.empty
    else {
      val moves = records.map(record => movesOf(record, external(record, _)))
      indices.filterNot(index =>
        IndexKinds.isSystem(index.name) || moves.forall(_.exists(_.spare(index)))
      ).toSet
    }
  }

  /** Returns the segment with no fragment covered. */
  def uncovered(index: pb.IndexMetadata): pb.IndexMetadata =
    if (index.fragmentBitmap.isEmpty) index else index.copy(fragmentBitmap = nothing)

  private val nothing: ByteString = RoaringSet.of(Set.empty).encode

  /** @param last
    *   the last version that recorded a compaction
    * @param fragments
    *   all that were compacted, and all that came of it
    */
  final private case class Moves(last: Long, fragments: Set[Long]) {

    /** Whether a segment was made afterwards, and of other fragments. */
    def spare(index: pb.IndexMetadata): Boolean = index.datasetVersion > last &&
      (index.fragmentBitmap.isEmpty || !RoaringSet.parse(index.fragmentBitmap).intersects(fragments))
  }

  /** Returns None if the record has a form that is not known. */
  private def movesOf(record: pb.IndexMetadata, external: pb.ExternalFile => Array[Byte]): Option[Moves] = {
    val details = record.indexDetails.map(_.value.toByteArray).getOrElse(Array.emptyByteArray)
    val content =
      ProtoBytes.parse(pb.FragmentReuseIndexDetails, details, "the record of reused fragments").content
    val inline = content.inline.orElse(content.external.map { place =>
      ProtoBytes.parse(
        pb.FragmentReuseIndexDetails.InlineContent,
        external(place),
        "the record of reused fragments"
      )
    })
    inline.filter(_.unknownFields.asMap.isEmpty).map { known =>
      val groups = known.legacyVersions.flatMap(_.groups)
      Moves(
        known.legacyVersions.map(_.datasetVersion).maxOption.getOrElse(0L),
        groups.flatMap(group => group.oldFragments ++ group.newFragments).map(_.id).toSet
      )
    }
  }
}
