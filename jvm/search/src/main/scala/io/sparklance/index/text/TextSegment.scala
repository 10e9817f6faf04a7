package io.sparklance.index.text

import java.util.Locale

import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.index.{SegmentFiles, TableIndices}
import io.sparklance.proto.{table => pb}
import io.sparklance.table.index.RoaringSet

/** A segment of a full-text index that searches may use.
  *
  * @param index
  *   name of the index; its other segments have the same
  * @param fragments
  *   covered fragments, including ones that the table no longer has
  * @param isOutdated
  *   whether its files may have addresses of rows that were moved: nothing but its settings is used
  */
final private[sparklance] case class TextSegment(
    index: String,
    fieldId: Int,
    fragments: RoaringSet,
    isOutdated: Boolean,
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

  /** Returns all segments. One that covers no fragment any more still counts in the statistics of scores, as
    * in the reference, unless it is outdated.
    */
  def all(snapshot: Snapshot): Vector[TextSegment] =
    if (snapshot.manifest.message.indexSection.isEmpty) Vector.empty
    else TableIndices.described(snapshot).flatMap(each => of(each.message, each.isOutdated, snapshot))

  private def of(index: pb.IndexMetadata, isOutdated: Boolean, snapshot: Snapshot): Option[TextSegment] =
    for {
      details <- index.indexDetails
      if details.typeUrl.toLowerCase(Locale.ROOT).endsWith("invertedindexdetails")
      version = index.indexVersion.getOrElse(0)
      if version >= 0 && version <= NewestVersion && !index.fragmentBitmap.isEmpty
      field <- index.fields.headOption
      uuid <- SegmentFiles.uuid(index)
    } yield TextSegment(
      index.name,
      field,
      RoaringSet.parse(index.fragmentBitmap),
      isOutdated,
      SegmentFiles.of(index, uuid, snapshot)
    )
}
