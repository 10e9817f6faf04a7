package io.sparklance.dataset

import java.util.UUID

import scala.util.{Failure, Success, Try}

import io.sparklance.RetryableCommitConflictException
import io.sparklance.table.Versions
import io.sparklance.table.commit.{Baseline, CommitBase, CommitLoop}
import io.sparklance.table.transaction.{Operation, Transaction}

/** Looks after a version that a RESTORE has made, before anything else is done with it: a clean-up may have
  * removed the old version, or its files, meanwhile.
  */
private[dataset] object Restoration {

  /** @throws io.sparklance.RetryableCommitConflictException
    *   if files may be gone. The table then is as before, unless others have committed since
    */
  def check(made: Dataset, operation: Operation): Unit =
    for (old <- restored(operation); what <- lost(made, old)) {
      val before = made.version - 1
      val removed = s"A clean-up removed $what of the table at ${made.root} while version $old was restored"
      throw new RetryableCommitConflictException(Try(takeBack(made, before)) match {
        case Success(_) => s"$removed. The table is as it was before. Choose another version."
        case Failure(e) =>
          s"$removed as version ${made.version}, which may lack files, and could not be undone: ${e.getMessage} Restore " +
            s"version $before, or choose another version."
      })
    }

  private def restored(operation: Operation): Option[Long] =
    Some(operation).collect { case Operation.Restore(old) => old }

  private def lost(made: Dataset, old: Long): Option[String] =
    if (new Versions(made.store, made.root).find(old).isEmpty) Some(s"version $old")
    else MissingFiles.first(made).map(file => s"the file $file")

  private def takeBack(made: Dataset, before: Long): Unit = {
    val undo = Transaction(made.version, UUID.randomUUID().toString, Operation.Restore(before))
    val _ = new CommitLoop(made.store, made.root, base = CommitBase.AsRead)
      .commit(undo, Baseline.of(made.manifest))
  }
}
