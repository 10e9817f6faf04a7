package io.sparklance.table.commit

import io.sparklance.io.ObjectStore
import io.sparklance.table.transaction.operations.Conflicts
import io.sparklance.table.transaction.{BatchId, TableState, Transaction, Verdict}
import io.sparklance.table.{Manifest, ManifestNaming, StoredVersion, VersionFile, Versions}
import io.sparklance.{
  IncompatibleCommitConflictException,
  LanceException,
  LanceFormatException,
  LanceTableNotFoundException,
  LanceUsageException,
  RetryableCommitConflictException
}

/** Looks at what was committed to a table since a transaction was begun. */
final private[commit] class Survey(store: ObjectStore, versions: Versions, root: String) {
  import Survey._

  private val transactions = new TransactionFiles(store, root)
  private val madeVersions = new MadeVersions(store, versions, transactions)

  /** @param checked the last version that the transaction is known to go together with */
  def apply(mine: Transaction, checked: Long): Result = {
    val files = versions.since(checked)
    files.lastOption match {
      case None if mine.readVersion == 0 => Open(TableState.Empty, ManifestNaming.V2)
      case None => throw vanished
      case Some(last) if last.version < checked => throw replaced(mine, last.version)
      case Some(last) if last.version - checked > Many =>
        among(mine, checked, last.version, files).getOrElse(apply(mine, last.version))
      case Some(last) =>
        among(mine, checked, last.version - 1, files).getOrElse {
          whole(last).fold(apply(mine, checked)) { latest =>
            def made = MadeVersion(last, transactions.of(latest.origin))
            val ended = if (last.version > checked) landed(mine, last.version, Some(made)) else None
            ended.getOrElse(Open(TableState(latest.manifest, latest.indexSection), last.naming))
          }
        }
    }
  }

  /** What ends the survey among the versions above `checked` up to `last`, if anything does.
    *
    * @param files what a listing told, one or more
    */
  private def among(
      mine: Transaction,
      checked: Long,
      last: Long,
      files: Vector[VersionFile]
  ): Option[Result] = {
    val newer = Iterator.iterate(checked + 1)(_ + 1).takeWhile(_ <= last)
    val listed = files.map(file => file.version -> file).toMap
    madeVersions(newer, listed, files.last.naming)
      .flatMap { case (version, made) => landed(mine, version, made) }
      .nextOption()
  }

  /** None if it was cleaned up since it was listed as the latest version, which it is no more. */
  private def whole(last: VersionFile): Option[StoredVersion] =
    try Some(versions.readWhole(last))
    catch {
      case _: LanceTableNotFoundException if versions.latest().exists(_.version > last.version) => None
    }

  /** The version if it is the transaction's own, or has its batch; None if it stands beside it; an exception otherwise. */
  private def landed(mine: Transaction, version: Long, made: Option[MadeVersion]): Option[Result] =
    made.flatMap(version => version.transaction.map(version.file -> _)) match {
      case Some((file, theirs)) if theirs.uuid == mine.uuid => Some(Landed(versions.read(file)))
      case Some((_, theirs)) if isRepeated(mine, theirs) => Some(Repeated(version))
      case _ if mine.readVersion == 0 => throw exists
      case None =>
        throw new RetryableCommitConflictException(
          lost(mine, s"version $version, which says nothing of what it changed")
        )
      case Some((file, theirs)) =>
        LanceFormatException.locating(file.location)(Conflicts.check(
          mine.operation,
          theirs.operation
        )) match {
          case Verdict.Compatible => None
          case Verdict.Retryable(reason) =>
            val winner = s"version $version (${theirs.operation.name}): $reason"
            throw new RetryableCommitConflictException(lost(mine, winner))
          case Verdict.Incompatible(reason) =>
            val winner = s"version $version (${theirs.operation.name}): $reason"
            throw new IncompatibleCommitConflictException(lost(mine, winner))
        }
    }

  private def isRepeated(mine: Transaction, theirs: Transaction): Boolean =
    BatchId.of(mine.properties).exists(batch => BatchId.of(theirs.properties).exists(batch.isIn))

  private def lost(mine: Transaction, winner: String): String =
    s"The ${mine.operation.name} to $root, begun at version ${mine.readVersion}, conflicts with $winner. " +
      "Nothing was committed; read the latest version and write again."

  private def replaced(
      mine: Transaction,
      latest: Long
  ): LanceException = new IncompatibleCommitConflictException(
    s"The ${mine.operation.name} to $root was begun at version ${mine.readVersion}, but its latest version is $latest: " +
      "the table was dropped and created anew. Nothing was committed; read the table and write again."
  )

  private def vanished: LanceException = new LanceTableNotFoundException(
    s"There is no table at $root any more: it was dropped after the write began. Create it again before writing to it."
  )

  private def exists: LanceException = new LanceUsageException(
    s"A table exists at $root already, so it cannot be created. Append to it, overwrite it or choose another path."
  )
}

private[commit] object Survey {

  /** While so many versions are looked at, others make more: these are looked at before a manifest is built in vain. */
  private val Many = 4
  sealed trait Result

  /** The transaction is committed: this is its version. */
  final case class Landed(manifest: Manifest) extends Result

  /** This version was made of the same batch, or of a later one of its application. */
  final case class Repeated(version: Long) extends Result

  /** The transaction may be built on this version. */
  final case class Open(latest: TableState, naming: ManifestNaming) extends Result
}
