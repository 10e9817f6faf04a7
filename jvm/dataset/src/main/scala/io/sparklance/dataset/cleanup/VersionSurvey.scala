package io.sparklance.dataset.cleanup

import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.table.{FeatureFlags, ManifestFile, ManifestName, ManifestNaming, StoredVersion, Versions}
import io.sparklance.{LanceFormatException, LanceTableNotFoundException, Location}

/** Reads manifests of a table. An unreadable manifest, or one with an unknown flag, ends the clean-up,
  * because it may refer to any file.
  */
final private[dataset] class VersionSurvey(store: ObjectStore, root: String) {
  private val versions = new Versions(store, root)

  /** Versions of the table's history. */
  def attached(): Vector[ManifestFile] = versions.list()

  /** Detached versions, which may still be wanted. */
  def detached(): Vector[ManifestFile] = store.list(directory).flatMap { entry =>
    ManifestNaming.parse(entry.name).collect { case ManifestName.Detached(version) =>
      ManifestFile(version, ManifestNaming.V2, StorePath.join(directory, entry.name), Some(entry.size))
    }
  }

  /** Reads a version; None if it was removed meanwhile. */
  def read(file: ManifestFile): Option[StoredVersion] =
    try {
      val stored = versions.readWhole(file)
      LanceFormatException.locating(Location(file = Some(file.path))) {
        FeatureFlags.checkReadable(stored.manifest)
        FeatureFlags.checkWritable(stored.manifest)
      }
      Some(stored)
    } catch { case _: LanceTableNotFoundException => None }

  private def directory: String = StorePath.join(root, "_versions")
}
