package io.sparklance.table.commit

import io.sparklance.LanceTableNotFoundException
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.table._
import io.sparklance.table.transaction.{Operation, Transaction}

/** Decides whether the table at `root` is still the one that has a certain version, or another one that was
  * created after that was dropped. Once a table has been dropped it never comes back, so an answer holds for
  * all that was read before.
  *
  * A version that exists is compared by its identity. Clean-up may have removed it; then files tell, since
  * their names are random: those of the version after it, or those that the commit itself has written.
  */
final private[sparklance] class SameTable(store: ObjectStore, versions: Versions, root: String) {
  import SameTable._

  private val transactions = new TransactionFiles(store, root)

  /** Fails if the table was dropped, also if another one was created at its place. False if nothing tells.
    *
    * @param read
    *   a version of the table
    * @param change
    *   that is to be made, for the message
    */
  def check(read: Manifest, change: String): Boolean = now(Baseline.of(read), None) match {
    case Same => true
    case Unknown => false
    case Gone => throw Replaced.dropped(root)
    case Other(latest) => throw Replaced.by(change, root, read.version, latest)
  }

  /** Looks for the table as it is now.
    *
    * @param transaction
    *   of which the file may be in the table already
    */
  def now(base: Baseline, transaction: Option[Transaction]): Answer = versions.latest() match {
    case None => Gone
    case Some(last) if last.version < base.version => Other(last.version)
    case Some(last) => has(base, last, transaction)
  }

  /** Compares a version of the table, which may be older than the latest. */
  def has(base: Baseline, last: ManifestFile, transaction: Option[Transaction]): Answer =
    base.identity.fold[Answer](Same) { known =>
      identity(base.version, last.naming) match {
        case Some(found) => if (found == known) Same else Other(last.version)
        case None if transaction.exists(isKept) => Same
        case None => base.manifest.fold[Answer](Unknown)(succeeded(_, last))
      }
    }

  /** Checks that a version which was just put has been put on top of the one it was built from.
    *
    * @param built
    *   the version that was put
    */
  def stands(latest: Manifest, built: Manifest, naming: ManifestNaming): Boolean =
    latest.version == 0 ||
      (identity(latest.version, naming) match {
        case Some(found) => found == VersionIdentity.of(latest)
        // Either removed by a clean-up, which keeps all files of the version that was put, or dropped with
        // the table.
        case None => ownFile(latest, built).fold(versions.list().head.version > latest.version)(store.exists)
      })

  /** Returns None if the version does not exist. */
  def identity(version: Long, naming: ManifestNaming): Option[VersionIdentity] =
    try Some(versions.identity(ManifestFile(version, naming, versions.path(version, naming), None)))
    catch { case _: LanceTableNotFoundException => None }

  private def isKept(transaction: Transaction): Boolean =
    store.exists(transactions.path(transaction.fileName))

  /** Whether the version after one that clean-up removed, or the latest, was built from it. */
  private def succeeded(removed: Manifest, last: ManifestFile): Answer = {
    val files = removed.fragments.flatMap(filesOf).toSet
    val isBuilt = Iterator(removed.version + 1, last.version).flatMap(successor(_, last.naming)).exists {
      case (next, transaction) =>
        val existing = next.fragments ++ transaction.fold(Vector.empty[Fragment])(rewritten)
        existing.flatMap(filesOf).exists(files)
    }
    if (isBuilt) Same else Unknown
  }

  private def successor(version: Long, naming: ManifestNaming): Option[(Manifest, Option[Transaction])] =
    try {
      val stored = versions.readWhole(ManifestFile(version, naming, versions.path(version, naming), None))
      Some((stored.manifest, transactions.of(stored.origin)))
    } catch { case _: LanceTableNotFoundException => None }

  /** A data file in the table's own directory, of both versions if there is such a one. */
  private def ownFile(latest: Manifest, built: Manifest): Option[String] = {
    val before = latest.fragments.iterator.flatMap(filesOf).toSet
    def files = built.fragments.iterator.flatMap(_.files).filter(_.baseId.isEmpty)
    files.find(file => before(nameOf(file))).orElse(files.nextOption()).map { file =>
      StorePath.join(root, "data", file.path)
    }
  }
}

private[sparklance] object SameTable {
  sealed trait Answer
  case object Same extends Answer
  case object Gone extends Answer

  /** @param latest version of the other table */
  final case class Other(latest: Long) extends Answer

  /** The version was removed, and nothing else tells. */
  case object Unknown extends Answer

  private def filesOf(fragment: Fragment): Vector[(Option[Int], String)] = fragment.files.map(nameOf)
  private def nameOf(file: DataFile): (Option[Int], String) = (file.baseId, file.path)

  /** The fragments that a compaction has replaced. */
  private def rewritten(transaction: Transaction): Vector[Fragment] = transaction.operation match {
    case rewrite: Operation.Rewrite =>
      rewrite.message.groups.iterator.flatMap(_.oldFragments).map(Fragment(_)).toVector
    case _ => Vector.empty
  }
}
