package io.sparklance.index.build

import com.google.protobuf.ByteString

import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.index.IndexKind
import io.sparklance.proto.table.ZoneMapIndexDetails

/** The kind of a new segment.
  *
  * @param rowsPerZone
  *   number of rows of a zone, for a zone map
  */
final private[sparklance] case class SegmentKind(kind: IndexKind, rowsPerZone: Option[Long] = None) {
  def name: String = kind.name

  /** Version of the layout. B-trees of version 1 refer to addresses in tables with stable row ids. */
  def version(hasStableRowIds: Boolean): Int = kind match {
    case IndexKind.BTree => if (hasStableRowIds) 1 else 0
    case IndexKind.Bitmap | IndexKind.LabelList | IndexKind.ZoneMap | IndexKind.BloomFilter | IndexKind.NGram =>
      kind.newestVersion
  }

  /** The numbers by which the index knows rows. */
  def numbers: MetadataColumn = kind match {
    case IndexKind.BTree | IndexKind.ZoneMap | IndexKind.BloomFilter => MetadataColumn.RowAddr
    case IndexKind.Bitmap | IndexKind.LabelList | IndexKind.NGram => MetadataColumn.RowId
  }

  /** Encoded details in the manifest. */
  def details: ByteString = rowsPerZone.fold(ByteString.EMPTY) { rows =>
    ZoneMapIndexDetails(Some(rows), useSeeds = Some(false), hasNullBitmap = Some(true)).toByteString
  }
}
