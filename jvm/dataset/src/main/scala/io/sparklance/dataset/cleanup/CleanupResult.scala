package io.sparklance.dataset.cleanup

/** Numbers of what a clean-up removed.
  *
  * @param failedDeletes
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
