package io.sparklance.index

import java.util.UUID

import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.proto.{table => pb}
import io.sparklance.table.index.RoaringSet

/** A segment of a scalar index that scans may use.
  *
  * @param index
  *   name of the index; its other segments have the same
  * @param fieldId
  *   the indexed field
  * @param version
  *   version of its layout
  * @param fragments
  *   covered fragments, including ones that the table no longer has
  */
final private[sparklance] case class IndexSegment(
    index: String,
    uuid: UUID,
    kind: IndexKind,
    fieldId: Int,
    version: Int,
    fragments: RoaringSet,
    files: SegmentFiles
) {

  /** Whether it identifies rows by their ids, which are not addresses in tables with stable row ids. */
  def findsRowIds: Boolean = kind match {
    case IndexKind.BTree => version == 0
    case IndexKind.Bitmap | IndexKind.LabelList | IndexKind.NGram => true
    case IndexKind.ZoneMap | IndexKind.BloomFilter => false
  }
}

private[sparklance] object IndexSegment {

  /** Returns a segment if its kind and version are known, and its key and its coverage are recorded. */
  def of(index: pb.IndexMetadata, snapshot: Snapshot): Option[IndexSegment] = for {
    kind <- IndexKind.of(index)
    version = index.indexVersion.getOrElse(0)
    if version >= 0 && version <= kind.newestVersion
    field <- Option.when(index.fields.size == 1 && index.coveringFields.isEmpty)(index.fields.head)
    uuid <- SegmentFiles.uuid(index)
    if !index.fragmentBitmap.isEmpty
  } yield IndexSegment(
    index.name,
    uuid,
    kind,
    field,
    version,
    RoaringSet.parse(index.fragmentBitmap),
    SegmentFiles.of(index, uuid, snapshot)
  )
}
