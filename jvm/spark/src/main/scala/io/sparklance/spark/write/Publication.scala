package io.sparklance.spark.write

import scala.util.control.NonFatal

import io.sparklance.CommitStateUnknownException
import io.sparklance.dataset.{Dataset, WrittenFile}
import io.sparklance.spark.CommitOptions
import io.sparklance.table.commit.CommitOutcome
import io.sparklance.table.transaction.Operation

/** How files that tasks have written become part of a table. */
trait Publication {

  /** Whether the table has these rows already, since they are a batch that was written before. */
  def isDone: Boolean

  /** None if there was nothing to commit. */
  def publish(files: Vector[WrittenFile]): Option[CommitOutcome]
}

object Publication {

  /** Whether the table was given this batch before. */
  def isDone(dataset: Dataset, options: CommitOptions): Boolean =
    options.batch.exists(dataset.versionOf(_).isDefined)

  /** Whether a failed publication has left no version behind, so that its files can be removed. A commit says so when it
    * does not know; only a failing JVM may cut it short.
    */
  def failedForSure(failure: Throwable): Boolean = failure match {
    case _: CommitStateUnknownException => false
    case NonFatal(_) => true
    case _ => false
  }
}

/** Makes one version of a table that is there. */
sealed abstract class Committing(dataset: Dataset, options: CommitOptions) extends Publication {
  protected def operation(files: Vector[WrittenFile]): Option[Operation]

  final override def isDone: Boolean = Publication.isDone(dataset, options)

  final override def publish(files: Vector[WrittenFile]): Option[CommitOutcome] =
    operation(files).map(dataset.commit(_, options.properties).commit)
}

/** Adds rows. Nothing to add makes no version, but for a batch, which must be remembered. */
final class Appending(dataset: Dataset, options: CommitOptions) extends Committing(dataset, options) {
  override protected def operation(files: Vector[WrittenFile]): Option[Operation] =
    Option.when(files.nonEmpty || options.batch.isDefined)(Dataset.appending(files))
}

/** Replaces all rows and keeps the columns, whose fields are numbered anew. */
final class Refilling(dataset: Dataset, options: CommitOptions) extends Committing(dataset, options) {
  override protected def operation(files: Vector[WrittenFile]): Option[Operation] =
    Some(dataset.refilling(files))
}

/** Keeps the files until the statement of which they are a part is complete.
  *
  * @param done of that statement
  */
final class Staging(done: => Boolean) extends Publication {
  private var staged = Vector.empty[WrittenFile]
  override def isDone: Boolean = done
  override def publish(files: Vector[WrittenFile]): Option[CommitOutcome] = {
    staged = files
    None
  }
  def files: Vector[WrittenFile] = staged
}
