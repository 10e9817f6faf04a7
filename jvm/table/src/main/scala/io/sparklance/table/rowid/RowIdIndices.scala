package io.sparklance.table.rowid

import scala.util.hashing.MurmurHash3

import io.sparklance.WeightedCache
import io.sparklance.table.{Manifest, VersionIdentity}

/** Row id indices of the versions that were used last, for all queries of a JVM. */
private[sparklance] object RowIdIndices {

  /** @param sequences
    *   a hash of the manifest's row ids, in case that two versions have the same identity after all
    */
  final private case class Key(version: VersionIdentity, fragments: Int, sequences: Int)

  private val recent =
    new WeightedCache[Key, RowIdIndex](math.min(64L << 20, Runtime.getRuntime.maxMemory / 16))

  /** @param sequences the row ids of all fragments, in the manifest's order */
  def of(manifest: Manifest)(sequences: => Iterator[RowIdSequence]): RowIdIndex =
    recent.getOrElseUpdate(key(manifest), _.weight)(RowIdIndex.of(sequences))

  private def key(manifest: Manifest): Key = {
    val fragments = manifest.message.fragments
    val hash = MurmurHash3.orderedHash(fragments.iterator.map(f => (f.id, f.rowIdSequence)))
    Key(VersionIdentity.of(manifest), fragments.size, hash)
  }
}
