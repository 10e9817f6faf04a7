package io.sparklance.spark.write

import scala.util.control.NonFatal

import io.sparklance.CommitStateUnknownException
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.table.WriteId
import io.sparklance.table.commit.CommitOutcome

/** All data files of a write until its commit. Spark also calls abort for failures after the commit. */
final private[spark] class UncommittedFiles(location: TableLocation, write: WriteId) {
  private var stay = false

  /** Runs the commit. */
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

  /** Runs the commit, and removes unused files: all of them if the batch was already committed, otherwise
    * those of failed attempts.
    *
    * @param fragments
    *   files of new fragments in the tasks' messages
    * @param repeated
    *   whether a task ran more than once
    * @param columns
    *   other files in the messages: columns of existing fragments
    */
  def settled(
      fragments: Vector[WrittenFile],
      repeated: Boolean,
      columns: Vector[WrittenFile] = Vector.empty
  )(
      publish: => Option[CommitOutcome]
  ): Option[CommitOutcome] = {
    val outcome = commit(publish)
    outcome.foreach(DataFiles.settle(location, write, _))
    outcome.foreach {
      case CommitOutcome.Committed(_, _, _) => SmallFragments.warn(location.toString, fragments)
      case CommitOutcome.Repeated(_) => ()
    }
    if (repeated || Session.speculates) DataFiles.removeOthers(location, write, fragments ++ columns)
    outcome
  }

  /** Runs a whole write, and removes its files if it fails. */
  def orAbandoned[A](write: => A): A =
    try write
    catch {
      case e: Throwable =>
        val _ = abandon()
        throw e
    }

  /** Removes the files if certainly no version refers to them. Returns whether it did.
    *
    * @param kept
    *   names of files to keep for a continued job
    */
  def abandon(kept: => Set[String] = Set.empty): Boolean = {
    if (!stay) DataFiles.removeAll(location, write, kept)
    !stay
  }
}

private object UncommittedFiles {

  /** Whether a failed commit certainly made no version. Only a failing JVM may interrupt a commit without a
    * known result.
    */
  private def failedForSure(failure: Throwable): Boolean = failure match {
    case _: CommitStateUnknownException => false
    case NonFatal(_) => true
    case _ => false
  }
}
