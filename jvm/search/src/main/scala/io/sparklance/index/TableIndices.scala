package io.sparklance.index

import com.google.protobuf.ByteString

import io.sparklance.WeightedCache
import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.proto.{table => pb}
import io.sparklance.table.index.{HistoricCoverage, IndexKinds}
import io.sparklance.table.{KeptManifests, VersionIdentity, Versions}

/** The usable segments of a table version's scalar indices. */
private[sparklance] object TableIndices {

  /** Segments of recent versions, because each query opens its table again. */
  private val recent = new WeightedCache[(String, VersionIdentity), Vector[IndexSegment]](maxWeight = 1 << 16)

  /** The manifests' descriptions of the segments of recent versions. */
  private val descriptions = new WeightedCache[(String, VersionIdentity), Vector[DescribedSegment]](
    math.min(32L << 20, Runtime.getRuntime.maxMemory / 64)
  )

  /** Returns the segments that cover fragments of this version. */
  def of(snapshot: Snapshot): Vector[IndexSegment] =
    if (snapshot.manifest.message.indexSection.isEmpty) Vector.empty
    else
      recent.getOrElseUpdate((snapshot.root, VersionIdentity.of(snapshot.manifest)), 1L + _.size)(
        read(snapshot)
      )

  private def read(snapshot: Snapshot): Vector[IndexSegment] =
    stored(snapshot).filterNot(index => IndexKinds.isSystem(index.name)).flatMap(IndexSegment.of(_, snapshot))
      .filter(segment => snapshot.fragments.exists(f => segment.fragments.contains(f.id)))

  /** Returns the manifest's description of all segments, of any kind, internal ones too. */
  private[index] def stored(snapshot: Snapshot): Vector[pb.IndexMetadata] = described(snapshot).map(_.message)

  private[index] def described(snapshot: Snapshot): Vector[DescribedSegment] =
    descriptions.getOrElseUpdate((snapshot.root, VersionIdentity.of(snapshot.manifest)), weigh)(
      snapshot.locating(DescribedSegment.all(snapshot, section(snapshot)))
    )

  private def weigh(all: Vector[DescribedSegment]): Long =
    all.iterator.map(segment => 256L + 2L * segment.message.serializedSize).sum + 256

  private def section(snapshot: Snapshot): Option[ByteString] = {
    def read = {
      val versions = new Versions(snapshot.store, snapshot.root)
      val identity = VersionIdentity.of(snapshot.manifest)
      // Another table may have taken this one's place meanwhile.
      versions.find(snapshot.version).map(versions.readWhole)
        .filter(s => VersionIdentity.of(s.manifest) == identity).flatMap(_.indexSection)
    }
    val message = snapshot.manifest.message
    if (message.indexSection.isEmpty) None
    else
      HistoricCoverage.removed(
        message,
        KeptManifests.section(snapshot.root, snapshot.manifest).getOrElse(read)
      )
  }
}
