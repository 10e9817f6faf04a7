package io.sparklance.dataset.cleanup

import io.sparklance.table.VersionFile
import io.sparklance.table.refs.VersionRefs

/** The versions and files that a clean-up removes.
  *
  * @param versions
  *   versions, oldest first
  * @param keeping
  *   tags and branches for which versions stay that would go by their age and number
  */
final private[sparklance] case class CleanupPlan private[cleanup] (
    versions: Vector[VersionFile],
    files: Vector[TableFile],
    keeping: VersionRefs
) {

  /** Returns the result of a complete removal. */
  def result: CleanupResult = {
    val files = CleanupResult.of(this.files)
    files.copy(bytesRemoved = files.bytesRemoved + versions.flatMap(_.size).sum, oldVersions = versions.size)
  }
}

/** @param failedDeletes
  *   files that could not be removed, which the next clean-up finds again; they count in nothing else
  */
final private[sparklance] case class CleanupResult(
    bytesRemoved: Long = 0,
    oldVersions: Int = 0,
    dataFilesRemoved: Int = 0,
    transactionFilesRemoved: Int = 0,
    indexFilesRemoved: Int = 0,
    deletionFilesRemoved: Int = 0,
    failedDeletes: Int = 0
)

private[cleanup] object CleanupResult {
  def of(files: Vector[TableFile]): CleanupResult = {
    def count(kind: FileKind) = files.count(_.kind == kind)
    CleanupResult(
      files.map(_.size).sum,
      dataFilesRemoved = count(FileKind.Data),
      transactionFilesRemoved = count(FileKind.Transaction),
      indexFilesRemoved = count(FileKind.Index),
      deletionFilesRemoved = count(FileKind.Deletion)
    )
  }
}
