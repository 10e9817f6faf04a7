package io.sparklance.dataset.cleanup

import io.sparklance.table.ManifestFile
import io.sparklance.table.refs.VersionRefs

/** The versions and files that a clean-up removes.
  *
  * @param versions
  *   versions, oldest first
  * @param keeping
  *   tags and branches for which versions stay that would go by their age and number
  */
final private[sparklance] case class CleanupPlan private[cleanup] (
    versions: Vector[ManifestFile],
    files: Vector[TableFile],
    keeping: VersionRefs
) {

  /** Returns the result of a complete removal. */
  def result: CleanupResult = {
    val files = CleanupResult.of(this.files)
    files.copy(bytesRemoved = files.bytesRemoved + versions.flatMap(_.size).sum, oldVersions = versions.size)
  }
}
