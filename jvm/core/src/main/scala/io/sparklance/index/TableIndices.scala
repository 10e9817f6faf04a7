package io.sparklance.index

import io.sparklance.WeightedCache
import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.proto.{table => pb}
import io.sparklance.table.index.{HistoricCoverage, IndexKinds}
import io.sparklance.table.{VersionIdentity, Versions}

/** The usable segments of a table version's scalar indices. */
private[sparklance] object TableIndices {

  /** Segments of recent versions, because each query opens its table again. */
  private val recent = new WeightedCache[(String, VersionIdentity), Vector[IndexSegment]](maxWeight = 1 << 16)

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

  private[index] def described(snapshot: Snapshot): Vector[DescribedSegment] = snapshot.locating {
    val versions = new Versions(snapshot.store, snapshot.root)
    val identity = VersionIdentity.of(snapshot.manifest)
    // Another table may have taken this one's place meanwhile.
    val stored = versions.find(snapshot.version).map(versions.readWhole)
      .filter(s => VersionIdentity.of(s.manifest) == identity)
    val section = stored.flatMap(s => HistoricCoverage.removed(s.manifest.message, s.indexSection))
    DescribedSegment.all(snapshot, section)
  }
}
