package io.sparklance.spark.write

import scala.annotation.{tailrec, unused}
import scala.util.{Failure, Success, Try}

import io.sparklance.RetryableCommitConflictException
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.MatchingRows
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.dataset.{Dataset, MovedRows, RowOperations}
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.history.Statement
import io.sparklance.spark.isolation.StatementIsolation
import io.sparklance.spark.options.CommitOptions
import io.sparklance.table.commit.CommitOutcome
import io.sparklance.table.transaction.Operation

/** Commits written files to a table. */
private[sparklance] trait WriteCommit {

  /** Description for Spark's UI: operation and version. */
  def title: String

  /** Whether the table has these rows already, because the batch was committed before. */
  def isDone: Boolean

  /** Commits the files. Returns None if there was nothing to commit. */
  def publish(files: Vector[WrittenFile]): Option[CommitOutcome]

  /** Runs once the commit is over and its files are settled. If this fails, the rows are committed all the
    * same.
    */
  def follow(@unused outcome: CommitOutcome): Unit = ()

  /** Returns this commit with the keys of its rows, if it can tell other software of them.
    *
    * @param filters
    *   filter of the keys of each task; none if the write collects no keys
    */
  def inserting(@unused filters: Vector[Array[Byte]]): WriteCommit = this
}

private[sparklance] object WriteCommit {

  /** Whether the batch was committed before. Spark repeats only the last epoch of a query, so an earlier one
    * has other rows.
    */
  def isDone(dataset: Dataset, options: CommitOptions): Boolean = options.batch.exists { batch =>
    val last = dataset.lastOf(batch)
    last.filter(committed => batch.isRemembered && batch.number < committed.number).foreach { committed =>
      throw StreamTarget.setBack(dataset, batch, committed)
    }
    last.exists(batch.isIn)
  }
}

/** A commit after which something else runs, which must not fail.
  *
  * @param next
  *   runs if there was something to commit
  */
final private[sparklance] class FollowedCommit(first: WriteCommit, next: () => Unit) extends WriteCommit {
  override def title: String = first.title
  override def isDone: Boolean = first.isDone
  override def inserting(filters: Vector[Array[Byte]]): WriteCommit =
    new FollowedCommit(first.inserting(filters), next)
  override def publish(files: Vector[WrittenFile]): Option[CommitOutcome] = {
    val outcome = first.publish(files)
    if (outcome.isDefined) next()
    outcome
  }
  override def follow(outcome: CommitOutcome): Unit = first.follow(outcome)
}

/** Commits one version of an existing table. */
sealed abstract private[sparklance] class OperationCommit(dataset: Dataset, options: CommitOptions)
    extends WriteCommit {
  protected def operation(files: Vector[WrittenFile]): Option[Operation]

  /** Short name of the operation. */
  protected def doing: String

  /** The recorded statement, unless the caller gives one. A MERGE that only adds rows is an append to Spark,
    * too.
    */
  protected def statement(files: Vector[WrittenFile]): Statement

  /** Compares the statement with rows of others. */
  protected def isolation: StatementIsolation = StatementIsolation.none

  final override def title: String = s"version ${dataset.version}, $doing"

  private def properties(operation: Operation, files: Vector[WrittenFile]): Map[String, String] =
    options.statement.getOrElse(statement(files)).properties(operation, Some(dataset)) ++ options.properties

  final override def isDone: Boolean = WriteCommit.isDone(dataset, options)

  final override def publish(files: Vector[WrittenFile]): Option[CommitOutcome] = options.uncommitted match {
    case None =>
      operation(files).map { made =>
        dataset.commit(made, properties(made, files), isolation.guard(dataset, options, files)).commit
      }
    case Some(uuid) =>
      val made = operation(files).getOrElse(Dataset.appending(files))
      dataset.keepUncommitted(uuid, made, properties(made, files))
      None
  }
}

/** Adds rows. Without rows it commits only a batch, which the table must remember.
  *
  * @param keys
  *   primary key of the rows, if a MERGE inserts them
  * @param filters
  *   filter of the keys of each task
  */
final private[sparklance] class AppendCommit(
    dataset: Dataset,
    options: CommitOptions,
    override protected val isolation: StatementIsolation = StatementIsolation.none,
    keys: Option[KeySpec] = None,
    filters: Vector[Array[Byte]] = Vector.empty
) extends OperationCommit(dataset, options) {
  override def inserting(filters: Vector[Array[Byte]]): WriteCommit =
    if (filters.isEmpty) this
    else new AppendCommit(dataset, options, isolation, keys, filters)

  override protected def doing: String = "append"
  override protected def statement(files: Vector[WrittenFile]): Statement = Statement.write("Append")
  override protected def operation(files: Vector[WrittenFile]): Option[Operation] =
    if (files.isEmpty) Option.when(options.batch.isDefined)(Dataset.appending(files))
    else Some(keys.fold(Dataset.appending(files))(_.in(RowOperations.insert(dataset, files), filters)))
}

/** Replaces all rows and keeps the columns, with new field ids.
  *
  * @param indices
  *   treats the table's indices after the commit; fails if that cannot be done
  */
final private[sparklance] class ReplaceAllCommit(
    dataset: Dataset,
    options: CommitOptions,
    indices: => CommitOutcome => Unit
) extends OperationCommit(dataset, options) {
  private lazy val next = indices

  /** Fails if the table's indices cannot be treated as the options say. */
  def check(): Unit = if (!isDone) { val _ = next }

  override def follow(outcome: CommitOutcome): Unit = next(outcome)
  override protected def doing: String = "overwrite"
  override protected def statement(files: Vector[WrittenFile]): Statement = Statement.write("Overwrite")
  override protected def operation(files: Vector[WrittenFile]): Option[Operation] = {
    check()
    Some(dataset.refilling(files))
  }
}

/** Replaces the rows of one version that satisfy a predicate. Rows that others add meanwhile stay, even if
  * they satisfy it, unless the statement is serializable.
  */
final private[sparklance] class ReplaceWhereCommit(
    dataset: Dataset,
    predicate: Predicate,
    condition: String,
    options: CommitOptions,
    override protected val isolation: StatementIsolation = StatementIsolation.none
) extends OperationCommit(dataset, options) {
  private lazy val rows = MatchingRows.of(dataset, predicate)

  override protected def doing: String = s"overwrite where $condition"

  override protected def statement(files: Vector[WrittenFile]): Statement = Statement
    .write("Overwrite", "predicate" -> condition)
    .withRows(inserted = files.map(_.rows).sum, updated = 0, deleted = rows.count)

  override protected def operation(files: Vector[WrittenFile]): Option[Operation] =
    if (rows.isEmpty) Option.when(files.nonEmpty || options.batch.isDefined)(Dataset.appending(files))
    else Some(RowOperations.update(dataset, rows, files.map(MovedRows(_, Array.emptyLongArray))))
}

/** Appends rows and adds their new columns. A merge lists all fragments, so it is rebuilt when others changed
  * some, as long as the columns are unchanged and no file uses the ids of the new ones.
  */
final private[sparklance] class MergeCommit(dataset: Dataset, schema: LanceSchema, options: CommitOptions)
    extends WriteCommit {
  override def isDone: Boolean = WriteCommit.isDone(dataset, options)

  override def publish(files: Vector[WrittenFile]): Option[CommitOutcome] = Some(publish(dataset, files))

  override def title: String = s"version ${dataset.version}, append with new columns"

  private def committed(latest: Dataset, files: Vector[WrittenFile]): CommitOutcome = {
    val operation = latest.merging(schema, files)
    val statement = Statement.write("Append", "mergeSchema" -> "true")
    latest.commit(operation, statement.properties(operation, Some(latest)) ++ options.properties).commit
  }

  @tailrec
  private def publish(latest: Dataset, files: Vector[WrittenFile]): CommitOutcome =
    Try(committed(latest, files)) match {
      case Success(outcome) => outcome
      case Failure(lost: RetryableCommitConflictException) =>
        val now = latest.refreshed("write").getOrElse(throw lost)
        if (now.version == latest.version || now.schema != dataset.schema) throw lost
        if (now.nextFieldId != dataset.nextFieldId) throw lost
        publish(now, files)
      case Failure(other) => throw other
    }
}

/** Keeps the files until their statement is complete.
  *
  * @param done
  *   whether that statement's batch was committed before
  * @param title
  *   description for Spark's UI
  */
final private[sparklance] class StagedCommit(done: => Boolean, override val title: String)
    extends WriteCommit {
  private var staged = Vector.empty[WrittenFile]
  override def isDone: Boolean = done
  override def publish(files: Vector[WrittenFile]): Option[CommitOutcome] = {
    staged = files
    None
  }
  def files: Vector[WrittenFile] = staged
}
