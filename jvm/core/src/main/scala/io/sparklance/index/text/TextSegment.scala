package io.sparklance.index.text

import java.nio.ByteBuffer
import java.util.{Locale, UUID}

import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.index.{SegmentFiles, TableIndices}
import io.sparklance.proto.{table => pb}
import io.sparklance.table.index.{IndexKinds, RoaringSet}

/** A segment of a full-text index that searches may use.
  *
  * @param index
  *   name of the index; its other segments have the same
  * @param fragments
  *   covered fragments, including ones that the table no longer has
  */
final private[sparklance] case class TextSegment(
    index: String,
    fieldId: Int,
    fragments: RoaringSet,
    files: SegmentFiles
)

private[sparklance] object TextSegment {

  /** Newest version of the layout that is known. Segments of later ones are ignored. */
  final private val NewestVersion = 3

  /** Returns the segments of the index that searches of a column use: those of the first one.
    *
    * @param fieldIds
    *   of the column, and of the items of its lists: releases differ in which one they record
    */
  def of(snapshot: Snapshot, fieldIds: Vector[Int]): Vector[TextSegment] = {
    val usable = all(snapshot).filter(segment => fieldIds.contains(segment.fieldId))
    usable.headOption.fold(Vector.empty[TextSegment])(first => usable.filter(_.index == first.index))
  }

  /** Returns all segments; none if moved rows are in an internal map, because files of segments have their
    * old addresses. A segment that covers no fragment any more still counts in the statistics of scores, as
    * in the reference.
    */
  def all(snapshot: Snapshot): Vector[TextSegment] =
    if (snapshot.manifest.message.indexSection.isEmpty) Vector.empty
    else {
      val stored = TableIndices.stored(snapshot)
      if (!snapshot.hasStableRowIds && stored.exists(_.name == IndexKinds.FragmentReuse)) Vector.empty
      else stored.flatMap(of(_, snapshot))
    }

  private def of(index: pb.IndexMetadata, snapshot: Snapshot): Option[TextSegment] = for {
    details <- index.indexDetails
    if details.typeUrl.toLowerCase(Locale.ROOT).endsWith("invertedindexdetails")
    version = index.indexVersion.getOrElse(0)
    if version >= 0 && version <= NewestVersion && !index.fragmentBitmap.isEmpty
    field <- index.fields.headOption
    uuid <- index.uuid.map(_.uuid.toByteArray).filter(_.length == 16).map(ByteBuffer.wrap)
    name = new UUID(uuid.getLong, uuid.getLong)
  } yield TextSegment(
    index.name,
    field,
    RoaringSet.parse(index.fragmentBitmap),
    SegmentFiles(
      snapshot.indexDirectory(name, index.baseId),
      index.files.map(file => file.path -> file.sizeBytes).toMap
    )
  )
}
