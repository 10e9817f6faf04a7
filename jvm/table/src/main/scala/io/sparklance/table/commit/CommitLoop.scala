package io.sparklance.table.commit

import java.time.Instant
import java.util.UUID

import scala.annotation.tailrec
import scala.util.control.NonFatal
import scala.util.{Failure, Random, Success, Try}

import io.sparklance.io.{LatePutException, ObjectStore}
import io.sparklance.table.transaction.operations.ApplyOperation
import io.sparklance.table.transaction.{DroppedIndices, Operation, OperationCodec, TableState, Transaction}
import io.sparklance.table.{FeatureFlags, Manifest, ManifestCodec, ManifestNaming, Versions}
import io.sparklance.{
  CommitConflictException,
  CommitStateUnknownException,
  LanceException,
  LanceFormatException,
  LanceTableNotFoundException,
  LanceUsageException,
  Location,
  RetryableCommitConflictException
}

/** Commits transactions to the table at `root`, each on the table's latest version.
  *
  * An attempt checks the transaction for conflicts with all transactions that were committed since its read
  * version, builds the next manifest, and puts it under its name unless the name exists. If it exists,
  * another writer won the race, and the next attempt starts from the new version. All attempts have the same
  * uuid, so one that took effect unnoticed is recognised.
  *
  * @param pause
  *   waits for a number of milliseconds
  * @param base
  *   which versions a transaction may be built on
  * @param guard
  *   checks the transaction before each attempt
  */
final private[sparklance] class CommitLoop(
    store: ObjectStore,
    root: String,
    pause: Long => Unit = CommitLoop.sleep,
    base: CommitBase = CommitBase.Latest,
    guard: CommitGuard = CommitGuard.none
) {
  import CommitLoop._

  private val versions = new Versions(store, root)
  private val sameTable = new SameTable(store, versions, root)
  private val status = new CommitStatus(store, versions, sameTable, root)
  private val placed = new PutVersion(store, versions, sameTable, root)

  /** Makes a new version, unless the transaction is a batch that was committed meanwhile. With read version
    * 0, creates the table.
    *
    * After any exception but [[CommitStateUnknownException]] the transaction has had no effect.
    */
  def commit(
      readVersion: Long,
      operation: Operation,
      properties: Map[String, String] = Map.empty
  ): CommitOutcome =
    commit(Transaction(readVersion, UUID.randomUUID().toString, operation, properties = properties))

  /** Commits a transaction that was made elsewhere. One that is committed already changes nothing. */
  def commit(transaction: Transaction): CommitOutcome =
    commit(transaction, Baseline.numbered(transaction.readVersion))

  /** Commits a transaction to the table that it was begun on, and to no other that was created at the same
    * place.
    *
    * @param read
    *   the version that the transaction was begun at
    */
  def commit(transaction: Transaction, read: Baseline): CommitOutcome = {
    val files = new CommitFiles(store, root)
    try
      attempt(transaction, files, Progress(checked = read)) match {
        case committed: CommitOutcome.Committed =>
          versions.writeHint(committed.manifest.version)
          files.deleteAllBut(committed.manifest)
          committed
        case repeated: CommitOutcome.Repeated =>
          files.deleteAll()
          repeated
      }
    catch {
      case e: CommitStateUnknownException => throw e
      case NonFatal(e) =>
        files.deleteAll()
        throw e
    }
  }

  @tailrec
  private def attempt(transaction: Transaction, files: CommitFiles, progress: Progress): CommitOutcome =
    surveyed(transaction, progress) match {
      case CommitStatus.AlreadyCommitted(manifest) =>
        CommitOutcome.Committed(manifest, progress.attempts, progress.dropped)
      case CommitStatus.DuplicateBatch(version) => CommitOutcome.Repeated(version)
      case CommitStatus.Base(latest, naming) =>
        if (progress.attempts == MaxAttempts) throw tooManyWriters(progress.attempts, latest.manifest.version)
        progress.failures.lift(MaxFailures - 1).foreach(e =>
          throw givenUp(e, progress, latest.manifest.version)
        )
        checkBase(transaction, latest.manifest.version)
        checkFlags(latest.manifest, naming)
        guard.check(latest.manifest, status.takeOthers())
        // The guard may run a job. Slots of its length would let others commit ever more before the next one.
        val started = System.nanoTime()
        val dropped = DroppedIndices.by(transaction.operation, latest)
        val (next, manifest) = status.explaining(transaction, Baseline.of(latest.manifest)) {
          val path = versions.path(latest.manifest.version, naming)
          build(DroppedIndices.recorded(transaction, dropped), files, latest, path)
        }
        val version = next.manifest.version
        val outcome = Try(put(versions.path(version, naming), version, manifest, progress))
        outcome match {
          case Success(true) =>
            placed.check(transaction, latest.manifest, next.manifest, naming)
            CommitOutcome.Committed(next.manifest, progress.attempts + 1, dropped)
          case _ =>
            val after =
              progress.after(latest.manifest, outcome, System.nanoTime() - started).copy(dropped = dropped)
            pause(Backoff.delayMillis(progress.attempts, after.leastNanos / 1000000, Random))
            attempt(transaction, files, after)
        }
    }

  private def put(path: String, version: Long, manifest: Array[Byte], progress: Progress): Boolean =
    if (progress.attempts > progress.failures.size) store.commits.race(store, path, version, manifest)
    else store.commits.commit(store, path, version, manifest)

  /** Once a manifest has been put, failing to look at the table means not to know whether it is there, unless
    * it was refused each time.
    */
  private def surveyed(transaction: Transaction, progress: Progress): CommitStatus.Result =
    try status(transaction, progress.checked)
    catch {
      case e @ (_: CommitConflictException | _: LanceUsageException) => throw e
      case e: LanceTableNotFoundException if progress.failures.isEmpty => throw e
      case NonFatal(_) if progress.isRefused(store.commits.isRefusal) => throw progress.failures.last
      case NonFatal(e) if progress.attempts > 0 =>
        throw new CommitStateUnknownException(
          s"The commit to $root may or may not have taken effect, for the table cannot be read any more: " +
            s"${e.getMessage}. Its data files were left in place. " +
            "Once the cause is gone, look at the table's latest versions before you write again.",
          e
        )
    }

  /** A put that nobody answered may take effect as long as nobody else has made its version. */
  private def givenUp(failure: Throwable, progress: Progress, latest: Long): Throwable =
    progress.late.filter(_ > latest).fold(failure) { version =>
      new CommitStateUnknownException(
        s"The commit to $root may yet take effect: the store did not say what became of version $version " +
          s"(${failure.getMessage}). Its data files were left in place. " +
          "Once the store answers, look at the table's latest versions before you write again.",
        failure
      )
    }

  /** The latest version may have others than the one that was read. */
  private def checkFlags(latest: Manifest, naming: ManifestNaming): Unit =
    LanceFormatException.locating(locationOf(latest.version, versions.path(latest.version, naming))) {
      FeatureFlags.checkReadable(latest)
      FeatureFlags.checkWritable(latest)
    }

  private def locationOf(version: Long, path: String) =
    Location(file = Some(path), version = Some(version))

  private def checkBase(transaction: Transaction, latest: Long): Unit = base match {
    case CommitBase.Latest => ()
    case CommitBase.AsRead =>
      if (latest != transaction.readVersion)
        throw new RetryableCommitConflictException(
          s"The ${transaction.operation.name} to $root, begun at version ${transaction.readVersion}, " +
            s"came too late: the latest version is $latest. Nothing was committed; read the latest " +
            "version and write again."
        )
  }

  /** The next version on top of the latest one, which is at `path`, and the bytes of its manifest. */
  private def build(
      transaction: Transaction,
      files: CommitFiles,
      latest: TableState,
      path: String
  ): (TableState, Array[Byte]) = {
    val stored = files.onto(latest.manifest, transaction)
    val message = OperationCodec.encode(stored)
    val flags = latest.manifest.message.writerFeatureFlags
    val inFile = !FeatureFlags.isSet(flags, FeatureFlags.NoTransactionFiles) ||
      !ManifestCodec.keepsInline(message)
    if (inFile) files.write(stored)
    val name = if (inFile) stored.fileName else ""
    val next = LanceFormatException.locating(locationOf(latest.manifest.version, path)) {
      ApplyOperation(latest, stored, name, Instant.now(), restored)
    }
    (next, ManifestCodec.encode(next.manifest, next.indexSection, message))
  }

  /** Returns the state of an older version. */
  private def restored(version: Long): TableState = {
    val file = versions.list().find(_.version == version).getOrElse(
      throw new LanceTableNotFoundException(
        s"The table at $root has no version $version any more, so it cannot be restored. Choose an " +
          "existing one."
      )
    )
    val stored = versions.readWhole(file)
    checkFlags(stored.manifest, file.naming)
    TableState.of(stored)
  }

  private def tooManyWriters(
      attempts: Int,
      winner: Long
  ): LanceException = new RetryableCommitConflictException(
    s"The commit to $root lost to other writers $attempts times in a row, the last time to version $winner. " +
      "Nothing was committed; write again when fewer writers are at work."
  )
}

private[sparklance] object CommitLoop {
  val MaxAttempts: Int = 20

  /** Attempts that may fail, in all, for other reasons than a lost race. */
  private val MaxFailures = 3

  /** Progress of a commit.
    *
    * @param checked
    *   the last version that the transaction was checked against, without a conflict
    * @param failures
    *   errors of failed puts, oldest first
    * @param late
    *   the last version whose put may still take effect
    * @param leastNanos
    *   the shortest time of an attempt, from the end of its checks to the put
    * @param dropped
    *   names of the indices that the last attempt drops
    */
  private case class Progress(
      checked: Baseline,
      attempts: Int = 0,
      failures: Vector[Throwable] = Vector.empty,
      late: Option[Long] = None,
      leastNanos: Long = Long.MaxValue,
      dropped: Vector[String] = Vector.empty
  ) {
    def after(latest: Manifest, outcome: Try[Boolean], nanos: Long): Progress = Progress(
      Baseline.of(latest),
      attempts + 1,
      outcome match {
        case Failure(e) => failures :+ e
        case Success(_) => failures
      },
      outcome match {
        case Failure(_: LatePutException) => Some(latest.version + 1)
        case _ => late
      },
      math.min(leastNanos, nanos)
    )

    /** Whether no manifest became a version. */
    def isRefused(isRefusal: Throwable => Boolean): Boolean =
      failures.nonEmpty && failures.forall(isRefusal)
  }

  /** An interrupt ends the wait and stays set for whoever waits next: the commit itself must come to a known
    * end.
    */
  private def sleep(millis: Long): Unit =
    try Thread.sleep(millis)
    catch { case _: InterruptedException => Thread.currentThread().interrupt() }
}
