package io.sparklance.table

import com.google.protobuf.ByteString

import io.sparklance.WeightedCache

/** Manifests that were read last, with their index sections. A manifest is kept for the client that read it,
  * since others may not have its rights, and until the store lists another file of its name.
  */
private[sparklance] object KeptManifests {

  /** An index section, None if there is none; None if it is not known. */
  type KeptSection = Option[Option[ByteString]]

  final private case class Key(client: Long, tag: String, path: String)

  /** Bytes in memory for each byte of a manifest, about. */
  final private val Growth = 4L

  private val manifests =
    new WeightedCache[Key, Manifest](math.min(128L << 20, Runtime.getRuntime.maxMemory / 16))
  private val sections =
    new WeightedCache[(String, VersionIdentity), Option[ByteString]](
      math.min(32L << 20, Runtime.getRuntime.maxMemory / 64)
    )

  /** Returns the manifest that is kept, or keeps the one that `read` returns. */
  private[table] def of(root: String, file: ManifestFile)(read: => (Manifest, KeptSection)): Manifest = {
    def fresh = {
      val (manifest, section) = read
      section.foreach(keep(root, manifest, _))
      manifest
    }
    file.listed.flatMap(listed => listed.tag.map(Key(listed.client, _, file.path))).fold(fresh)(key =>
      manifests.getOrElseUpdate(key, manifest => 512L + Growth * manifest.message.serializedSize)(fresh)
    )
  }

  private def keep(root: String, manifest: Manifest, section: Option[ByteString]): Unit =
    if (manifest.message.indexSection.isDefined)
      sections.put((root, VersionIdentity.of(manifest)), section, 256L + section.fold(0)(_.size))

  /** Returns the index section of a version whose manifest was read, if it is still kept. */
  def section(root: String, manifest: Manifest): KeptSection =
    sections.find((root, VersionIdentity.of(manifest)))
}
