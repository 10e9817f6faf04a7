package io.sparklance.spark.write

import scala.util.control.NonFatal

import io.sparklance.CommitStateUnknownException
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.table.WriteId
import io.sparklance.table.commit.CommitOutcome

/** All data files of a write, until a version may refer to them: Spark aborts also what fails behind the commit. */
final private[spark] class UncommittedFiles(location: TableLocation, write: WriteId) {
  private var stay = false

  /** Runs what makes the version. */
  def commit[A](publish: => A): A = {
    val outcome =
      try publish
      catch {
        case e: Throwable =>
          stay = !UncommittedFiles.failedForSure(e)
          throw e
      }
    stay = true
    outcome
  }

  /** Does the same, and then removes what no version needs: all, if it was a batch that was committed before; or those of
    * attempts that were lost.
    *
    * @param files that tasks have told of
    * @param repeated whether one of the tasks was another attempt
    */
  def settled(files: Vector[WrittenFile], repeated: Boolean)(
      publish: => Option[CommitOutcome]
  ): Option[CommitOutcome] = {
    val outcome = commit(publish)
    outcome.foreach(DataFiles.settle(location, write, _))
    if (repeated || Session.speculates) DataFiles.removeOthers(location, write, files)
    outcome
  }

  /** Removes the files if it is sure that no version refers to them, and says so.
    *
    * @param kept the names of those with which somebody may go on
    */
  def abandon(kept: => Set[String] = Set.empty): Boolean = {
    if (!stay) DataFiles.removeAll(location, write, kept)
    !stay
  }
}

private object UncommittedFiles {

  /** Whether a failed commit has left no version behind. It says so when it does not know; only a failing JVM may cut it
    * short.
    */
  private def failedForSure(failure: Throwable): Boolean = failure match {
    case _: CommitStateUnknownException => false
    case NonFatal(_) => true
    case _ => false
  }
}
