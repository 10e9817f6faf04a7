package io.sparklance.spark.write

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

import io.sparklance.RetryableCommitConflictException
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.MatchingRows
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.dataset.{Dataset, MovedRows, RowChanges}
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.options.CommitOptions
import io.sparklance.table.commit.CommitOutcome
import io.sparklance.table.transaction.Operation

/** How files that tasks have written become part of a table. */
trait WriteCommit {

  /** Whether the table has these rows already, since they are a batch that was written before. */
  def isDone: Boolean

  /** None if there was nothing to commit. */
  def publish(files: Vector[WrittenFile]): Option[CommitOutcome]
}

object WriteCommit {

  /** Whether the table was given this batch before. */
  def isDone(dataset: Dataset, options: CommitOptions): Boolean =
    options.batch.exists(dataset.versionOf(_).isDefined)
}

/** Makes one version of a table that is there. */
sealed abstract class OperationCommit(dataset: Dataset, options: CommitOptions) extends WriteCommit {
  protected def operation(files: Vector[WrittenFile]): Option[Operation]

  /** What is kept with the transaction. A MERGE that only adds rows is an append to Spark, too. */
  private def properties(operation: Operation): Map[String, String] = Option(operation)
    .collect { case append: Operation.Append =>
      RowCounts.inserted(append.added.flatMap(_.physicalRows).sum)
    }
    .getOrElse(Map.empty[String, String]) ++ options.properties

  final override def isDone: Boolean = WriteCommit.isDone(dataset, options)

  final override def publish(files: Vector[WrittenFile]): Option[CommitOutcome] = options.uncommitted match {
    case None => operation(files).map(made => dataset.commit(made, properties(made)).commit)
    case Some(uuid) =>
      val made = operation(files).getOrElse(Dataset.appending(files))
      dataset.keepUncommitted(uuid, made, properties(made))
      None
  }
}

/** Adds rows. Nothing to add makes no version, but for a batch, which must be remembered. */
final class AppendCommit(dataset: Dataset, options: CommitOptions) extends OperationCommit(dataset, options) {
  override protected def operation(files: Vector[WrittenFile]): Option[Operation] =
    Option.when(files.nonEmpty || options.batch.isDefined)(Dataset.appending(files))
}

/** Replaces all rows and keeps the columns, whose fields are numbered anew. */
final class ReplaceAllCommit(dataset: Dataset, options: CommitOptions)
    extends OperationCommit(dataset, options) {
  override protected def operation(files: Vector[WrittenFile]): Option[Operation] =
    Some(dataset.refilling(files))
}

/** Replaces the rows of one version that fulfil a predicate; rows that others add meanwhile stay, whatever they are. */
final class ReplaceWhereCommit(dataset: Dataset, predicate: Predicate, options: CommitOptions)
    extends OperationCommit(dataset, options) {
  override protected def operation(files: Vector[WrittenFile]): Option[Operation] = {
    val rows = MatchingRows.of(dataset, predicate)
    if (rows.isEmpty) Option.when(files.nonEmpty || options.batch.isDefined)(Dataset.appending(files))
    else Some(RowChanges.update(dataset, rows, files.map(MovedRows(_, Array.emptyLongArray))))
  }
}

/** Adds rows and the columns in which they differ from the table. A merge names all fragments, so it is made anew when others
  * have changed some, as long as the columns are still the same, and no file has a column of the new ones' numbers.
  */
final class MergeCommit(dataset: Dataset, schema: LanceSchema, options: CommitOptions) extends WriteCommit {
  override def isDone: Boolean = WriteCommit.isDone(dataset, options)

  override def publish(files: Vector[WrittenFile]): Option[CommitOutcome] = Some(publish(dataset, files))

  @tailrec
  private def publish(latest: Dataset, files: Vector[WrittenFile]): CommitOutcome =
    Try(latest.commit(latest.merging(schema, files), options.properties).commit) match {
      case Success(outcome) => outcome
      case Failure(lost: RetryableCommitConflictException) =>
        val now = latest.refreshed("write").getOrElse(throw lost)
        if (now.version == latest.version || now.schema != dataset.schema) throw lost
        if (now.nextFieldId != dataset.nextFieldId) throw lost
        publish(now, files)
      case Failure(other) => throw other
    }
}

/** Keeps the files until the statement of which they are a part is complete.
  *
  * @param done of that statement
  */
final class StagedCommit(done: => Boolean) extends WriteCommit {
  private var staged = Vector.empty[WrittenFile]
  override def isDone: Boolean = done
  override def publish(files: Vector[WrittenFile]): Option[CommitOutcome] = {
    staged = files
    None
  }
  def files: Vector[WrittenFile] = staged
}
