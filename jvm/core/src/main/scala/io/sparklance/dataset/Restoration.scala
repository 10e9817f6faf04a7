package io.sparklance.dataset

import scala.util.{Failure, Success, Try}

import io.sparklance.RetryableCommitConflictException
import io.sparklance.table.Versions
import io.sparklance.table.transaction.Operation

/** Makes an old version the latest one again, unless a clean-up removes it meanwhile. */
private[sparklance] object Restoration {

  /** @param commit
    *   commits an operation to the latest version
    * @throws io.sparklance.RetryableCommitConflictException
    *   if the version was removed while it was restored: its files may be gone. The table then is as before,
    *   unless others have committed since
    */
  def apply(latest: Dataset, old: Long)(commit: (Dataset, Operation) => WriteOutcome): WriteOutcome = {
    val outcome = commit(latest, Operation.Restore(old))
    if (new Versions(latest.store, latest.root).find(old).nonEmpty) outcome
    else {
      val made = outcome.dataset
      val undone = Try(made.commitNext(Operation.Restore(made.version - 1)))
      throw new RetryableCommitConflictException(undone match {
        case Success(_) =>
          s"A clean-up removed version $old of the table at ${latest.root} while it was restored. The table is as it was before. " +
            "Choose another version."
        case Failure(e) =>
          s"A clean-up removed version $old of the table at ${latest.root} while it was restored as version ${made.version}, which " +
            s"may lack files, and could not be undone: ${e.getMessage} Restore version ${made.version - 1}."
      })
    }
  }
}
