package io.sparklance.index.build

import com.google.protobuf.ByteString

import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.index.IndexKind
import io.sparklance.proto.table.ZoneMapIndexDetails

/** The kind of a segment in the manifest.
  *
  * @param typeUrl
  *   names the type of the message
  * @param value
  *   the encoded message
  * @param version
  *   version of the layout
  */
final private[sparklance] case class SegmentDetails(typeUrl: String, value: ByteString, version: Int)

/** The kind of a new segment.
  *
  * @param rowsPerZone
  *   number of rows of a zone, for a zone map
  */
final private[sparklance] case class SegmentKind(kind: IndexKind, rowsPerZone: Option[Long] = None) {
  def name: String = kind.name

  /** Version of the layout. B-trees of version 1 refer to addresses in tables with stable row ids. */
  private def version(hasStableRowIds: Boolean): Int = kind match {
    case IndexKind.BTree => if (hasStableRowIds) 1 else 0
    case IndexKind.Bitmap | IndexKind.LabelList | IndexKind.ZoneMap | IndexKind.BloomFilter | IndexKind.NGram =>
      kind.newestVersion
  }

  /** The numbers by which the index knows rows. */
  def numbers: MetadataColumn = kind match {
    case IndexKind.BTree | IndexKind.ZoneMap | IndexKind.BloomFilter => MetadataColumn.RowAddr
    case IndexKind.Bitmap | IndexKind.LabelList | IndexKind.NGram => MetadataColumn.RowId
  }

  /** Details in the manifest. */
  def described(hasStableRowIds: Boolean): SegmentDetails =
    SegmentDetails(kind.typeUrl, details, version(hasStableRowIds))

  private def details: ByteString = rowsPerZone.fold(ByteString.EMPTY) { rows =>
    ZoneMapIndexDetails(Some(rows), useSeeds = Some(false), hasNullBitmap = Some(true)).toByteString
  }
}
