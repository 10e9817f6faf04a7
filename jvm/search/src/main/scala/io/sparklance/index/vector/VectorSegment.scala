package io.sparklance.index.vector

import java.util.{Locale, UUID}

import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.index.{SegmentFiles, TableIndices}
import io.sparklance.proto.{index => ipb, table => pb}
import io.sparklance.table.VersionIdentity
import io.sparklance.table.index.RoaringSet
import io.sparklance.vector.Metric
import io.sparklance.{ProtoBytes, WeightedCache}

/** A segment of a vector index that searches may use.
  *
  * @param index
  *   name of the index; its other segments have the same
  * @param fieldId
  *   the indexed field
  * @param metric
  *   the metric, if the manifest has it
  * @param fragments
  *   covered fragments, including ones that the table no longer has
  */
final private[sparklance] case class VectorSegment(
    index: String,
    uuid: UUID,
    fieldId: Int,
    metric: Option[Metric],
    fragments: RoaringSet,
    files: SegmentFiles
)

private[sparklance] object VectorSegment {

  /** Newest version of the layout that is known. Segments of later ones are ignored. */
  final private val NewestVersion = 2

  /** Returns the segments of the index that a search of a column uses: those of the first one that covers
    * fragments of this version.
    */
  def of(snapshot: Snapshot, fieldId: Int): Vector[VectorSegment] = {
    val usable = all(snapshot).filter(_.fieldId == fieldId)
      .filter(segment => snapshot.fragments.exists(f => segment.fragments.contains(f.id)))
    usable.headOption.fold(Vector.empty[VectorSegment])(first => usable.filter(_.index == first.index))
  }

  private def all(snapshot: Snapshot): Vector[VectorSegment] =
    if (snapshot.manifest.message.indexSection.isEmpty) Vector.empty
    else
      recent.getOrElseUpdate((snapshot.root, VersionIdentity.of(snapshot.manifest)), 1L + _.size)(
        TableIndices.stored(snapshot).flatMap(of(_, snapshot))
      )

  /** Segments of recent versions. */
  private val recent =
    new WeightedCache[(String, VersionIdentity), Vector[VectorSegment]](maxWeight = 1 << 16)

  /** Returns a segment of any version; None if it has no files, or its layout is not known. */
  private[vector] def stored(snapshot: Snapshot, index: pb.IndexMetadata): Option[VectorSegment] =
    of(index, snapshot)

  private def of(index: pb.IndexMetadata, snapshot: Snapshot): Option[VectorSegment] = for {
    details <- index.indexDetails
    if details.typeUrl.toLowerCase(Locale.ROOT).endsWith("vectorindexdetails")
    version = index.indexVersion.getOrElse(0)
    if version >= 0 && version <= NewestVersion && !index.fragmentBitmap.isEmpty
    field <- index.fields.headOption
    uuid <- SegmentFiles.uuid(index)
  } yield VectorSegment(
    index.name,
    uuid,
    field,
    metric(details.value.toByteArray),
    RoaringSet.parse(index.fragmentBitmap),
    SegmentFiles.of(index, uuid, snapshot)
  )

  private def metric(details: Array[Byte]): Option[Metric] =
    Option.when(details.nonEmpty)(
      ProtoBytes.parse(ipb.VectorIndexDetails, details, "the details of a vector index").metricType
    ).flatMap {
      case ipb.VectorMetricType.L2 => Some(Metric.L2)
      case ipb.VectorMetricType.COSINE => Some(Metric.Cosine)
      case ipb.VectorMetricType.DOT => Some(Metric.Dot)
      case ipb.VectorMetricType.HAMMING => Some(Metric.Hamming)
      case ipb.VectorMetricType.Unrecognized(_) => None
    }
}
