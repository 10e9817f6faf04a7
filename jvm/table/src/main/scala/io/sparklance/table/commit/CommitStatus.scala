package io.sparklance.table.commit

import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

import io.sparklance.io.ObjectStore
import io.sparklance.table.transaction.operations.Conflicts
import io.sparklance.table.transaction.{BatchId, Operation, TableState, Transaction, Verdict}
import io.sparklance.table.{Manifest, ManifestFile, ManifestNaming, StoredVersion, VersionIdentity, Versions}
import io.sparklance.{
  IncompatibleCommitConflictException,
  LanceException,
  LanceFormatException,
  LanceTableNotFoundException,
  RetryableCommitConflictException
}

/** Looks at what was committed to a table since a transaction was begun. */
final private[commit] class CommitStatus(
    store: ObjectStore,
    versions: Versions,
    sameTable: SameTable,
    root: String
) {
  import CommitStatus._

  private val transactions = new TransactionFiles(store, root)
  private val batches = new CommittedBatches(store, root)
  private val madeVersions = new VersionOrigins(store, versions, transactions)
  private var others = Vector.empty[Operation]

  /** Returns the operations that were found to go together with the transaction since the last call. */
  def takeOthers(): Vector[Operation] = {
    val found = others
    others = Vector.empty
    found
  }

  /** Holds the transaction against what was committed after a version.
    *
    * @param base
    *   the last version that the transaction is known to go together with
    */
  def apply(transaction: Transaction, base: Baseline): Result = {
    val files = versions.since(base.version)
    files.lastOption match {
      case None if transaction.readVersion == 0 => Base(TableState.Empty, ManifestNaming.V2)
      case None => throw Replaced.dropped(root)
      case Some(last) if last.version < base.version =>
        throw replaced(transaction, last.version)
      case Some(last) if last.version == base.version => onto(transaction, base, last)
      case Some(last) => checking(transaction, base, last)(newer(transaction, base, last, files))
    }
  }

  /** Runs what depends on a version of the table. If it fails because the table was dropped meanwhile, that
    * is the failure.
    */
  def explaining[A](transaction: Transaction, base: Baseline)(body: => A): A =
    try body
    catch {
      case NonFatal(e) if base.version > 0 =>
        Try(sameTable.now(base, Some(transaction))) match {
          case Success(SameTable.Gone) => throw Replaced.dropped(root, e)
          case Success(SameTable.Other(latest)) => throw replaced(transaction, latest, e)
          case Success(SameTable.Same | SameTable.Unknown) | Failure(_) => throw e
        }
    }

  /** The latest version is the one that the transaction is known to go together with, unless it is another
    * table's.
    */
  private def onto(transaction: Transaction, base: Baseline, last: ManifestFile): Result =
    whole(transaction, last).fold(apply(transaction, base)) { latest =>
      if (base.identity.exists(_ != VersionIdentity.of(latest.manifest)))
        throw replaced(transaction, last.version)
      Base(TableState.of(latest), last.naming)
    }

  /** Looks afterwards whether what was read is of the same table: what a dropped one had never comes back. */
  private def checking(
      transaction: Transaction,
      base: Baseline,
      last: ManifestFile
  )(body: => Result): Result = {
    val result = Try(body)
    def failure = result.failed.getOrElse(null)
    result match {
      case Success(committed: AlreadyCommitted) => committed
      case _ =>
        sameTable.has(base, last, Some(transaction)) match {
          case SameTable.Same => result.get
          case SameTable.Other(latest) => throw replaced(transaction, latest, failure)
          case SameTable.Gone => throw Replaced.dropped(root, failure)
          case SameTable.Unknown =>
            throw result.failed.getOrElse(Replaced.unclear(transaction.operation.name, root, base.version))
        }
    }
  }

  private def newer(
      transaction: Transaction,
      base: Baseline,
      last: ManifestFile,
      files: Vector[ManifestFile]
  ): Result =
    if (last.version - base.version > Many)
      // The caller compares a version before this one once all is read.
      among(
        transaction,
        base.version,
        last.version,
        files
      ).getOrElse(apply(transaction, Baseline.numbered(last.version)))
    else
      among(transaction, base.version, last.version - 1, files).getOrElse {
        whole(transaction, last).fold(apply(transaction, base)) { latest =>
          val made = VersionOrigin(last, transactions.of(latest.origin))
          committed(transaction, last.version, Some(made)).getOrElse(Base(TableState.of(latest), last.naming))
        }
      }

  /** Returns the result, if one of the versions above `checked` up to `last` decides it.
    *
    * @param files
    *   listed versions, one or more
    */
  private def among(
      transaction: Transaction,
      checked: Long,
      last: Long,
      files: Vector[ManifestFile]
  ): Option[Result] = {
    val newer = Iterator.iterate(checked + 1)(_ + 1).takeWhile(_ <= last)
    val listed = files.map(file => file.version -> file).toMap
    madeVersions(newer, listed, files.last.naming)
      .flatMap { case (version, made) => committed(transaction, version, made) }
      .nextOption()
  }

  /** Returns the version, or None if clean-up removed it after it was listed as the latest, which it is no
    * longer.
    */
  private def whole(transaction: Transaction, last: ManifestFile): Option[StoredVersion] =
    try Some(versions.readWhole(last))
    catch {
      case e: LanceTableNotFoundException =>
        versions.latest().map(_.version) match {
          case None => throw Replaced.dropped(root, e)
          case Some(now) if now < last.version =>
            throw replaced(transaction, now, e)
          case Some(now) if now > last.version => None
          case Some(_) => throw e
        }
    }

  /** The version if it is the transaction's own, or has its batch; None if it stands beside it; an exception
    * otherwise.
    */
  private def committed(
      transaction: Transaction,
      version: Long,
      made: Option[VersionOrigin]
  ): Option[Result] = {
    def repeated = made.flatMap(_.transaction).flatMap(repeatedBy(transaction, _))
    made.flatMap(version => version.transaction.map(version.file -> _)) match {
      case Some((file, winning)) if winning.uuid == transaction.uuid =>
        Some(AlreadyCommitted(versions.read(file)))
      case _ if repeated.isDefined => repeated
      case _ if transaction.readVersion == 0 => throw exists
      case None =>
        throw new RetryableCommitConflictException(
          lost(transaction, s"version $version, whose changes are not recorded")
        )
      case Some((file, winning)) =>
        LanceFormatException.locating(file.location)(Conflicts.check(
          transaction.operation,
          winning.operation
        )) match {
          case Verdict.Compatible =>
            others :+= winning.operation
            None
          case Verdict.Retryable(reason) =>
            val winner = s"version $version (${winning.operation.name}): $reason"
            throw new RetryableCommitConflictException(lost(transaction, winner))
          case Verdict.Incompatible(reason) =>
            val winner = s"version $version (${winning.operation.name}): $reason"
            throw new IncompatibleCommitConflictException(lost(transaction, winner))
        }
    }
  }

  /** Returns the version with which the batch is part of the latest one, if a transaction is of the same
    * batch; None if it was taken back.
    */
  private def repeatedBy(transaction: Transaction, winning: Transaction): Option[DuplicateBatch] = for {
    batch <- BatchId.of(transaction.properties)
    _ <- BatchId.of(winning.properties).filter(batch.isIn)
    version <- batches.version(batch, last = Long.MaxValue)
  } yield DuplicateBatch(version)

  private def lost(transaction: Transaction, winner: String): String =
    s"The ${transaction.operation.name} to $root, begun at version ${transaction.readVersion}, conflicts with $winner. " +
      "Nothing was committed; read the latest version and write again."

  private def replaced(transaction: Transaction, latest: Long, cause: Throwable = null): LanceException =
    Replaced.by(transaction.operation.name, root, transaction.readVersion, latest, cause)

  private def exists: LanceException = new RetryableCommitConflictException(
    s"A table exists at $root already, so it cannot be created: another writer came first. Nothing was committed; write again to " +
      "append to it or overwrite it, or choose another path."
  )
}

private[commit] object CommitStatus {

  /** Number of missed versions above which the table is listed again before a manifest is built: others
    * commit meanwhile.
    */
  private val Many = 4
  sealed trait Result

  /** The transaction is committed: this is its version. */
  final case class AlreadyCommitted(manifest: Manifest) extends Result

  /** This version was made of the same batch, or of a later one of its application. */
  final case class DuplicateBatch(version: Long) extends Result

  /** The transaction may be built on this version. */
  final case class Base(latest: TableState, naming: ManifestNaming) extends Result
}
