package io.sparklance.table.commit

import scala.util.Try

import io.sparklance.CommitStateUnknownException
import io.sparklance.io.ObjectStore
import io.sparklance.table.transaction.Transaction
import io.sparklance.table.{Manifest, ManifestNaming, VersionIdentity, Versions}

/** Looks at a version after it was put. The table may have been dropped between the last look at it and the
  * put: then the version is taken back.
  */
final private[commit] class PutVersion(
    store: ObjectStore,
    versions: Versions,
    sameTable: SameTable,
    root: String
) {

  /** @param latest the version that `built` was built from */
  def check(transaction: Transaction, latest: Manifest, built: Manifest, naming: ManifestNaming): Unit =
    if (!stands(latest, built, naming)) {
      takeBack(built, naming)
      throw versions.latest().fold(Replaced.dropped(root))(now =>
        Replaced.by(transaction.operation.name, root, transaction.readVersion, now.version)
      )
    }

  /** The version has been put, so a store that fails to tell more does not make the commit fail. */
  private def stands(latest: Manifest, built: Manifest, naming: ManifestNaming): Boolean =
    Try(sameTable.stands(latest, built, naming)).getOrElse(true)

  /** A version of that number may also be one of the other table's own. */
  private def takeBack(built: Manifest, naming: ManifestNaming): Unit = {
    val isGone = Try {
      val isOurs = sameTable.identity(built.version, naming).contains(VersionIdentity.of(built))
      val isLatest = versions.latest().forall(_.version <= built.version)
      if (isOurs && isLatest)
        store.commits.retract(store, versions.path(built.version, naming), built.version)
      !isOurs || isLatest
    }
    if (!isGone.getOrElse(false)) throw left(built, isGone.failed.getOrElse(null))
  }

  private def left(built: Manifest, cause: Throwable) = new CommitStateUnknownException(
    s"The table at $root was dropped, and another one created there, while version ${built.version} was committed, and that version " +
      "could not be taken back. Its data files were left in place. Look at the table's latest versions, and delete this one's manifest " +
      "or restore an older version, before you write again.",
    cause
  )
}
