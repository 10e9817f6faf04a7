package io.sparklance.dataset

import io.sparklance.LanceUsageException
import io.sparklance.io.{Concurrently, ObjectStore}
import io.sparklance.table.commit.CommitGuard
import io.sparklance.table.transaction.Operation
import io.sparklance.table.{Manifest, TablePaths}

/** Looks for the files of a transaction that was made elsewhere, perhaps days ago: a clean-up removes files
  * that no version refers to.
  */
final private[dataset] class WrittenBefore(store: ObjectStore, root: String, operation: Operation)
    extends CommitGuard {

  override def check(latest: Manifest, others: Vector[Operation]): Unit = {
    val paths = new TablePaths(root, latest)
    val files = operation.added.flatMap(_.files).map(paths.dataFile)
    val isThere = Concurrently.map(files, store.profile.firstRequests)(store.exists)
    files.zip(isThere).collectFirst { case (file, false) => file }.foreach(file => throw gone(file))
  }

  private def gone(file: String) = new LanceUsageException(
    s"The file $file of the ${operation.name} to $root does not exist any more, perhaps because a clean-up removed it before this commit. " +
      "Nothing was committed; write the rows again."
  )
}
