package io.sparklance.spark.rowlevel

import org.apache.spark.sql.connector.write.RowLevelOperation.Command

import io.sparklance.LanceUsageException
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.dataset.{Dataset, RowOperations, RowSet}
import io.sparklance.spark.history.Statement
import io.sparklance.spark.isolation.StatementIsolation
import io.sparklance.spark.options.CommitOptions
import io.sparklance.spark.write.{KeySpec, RowCounts, WriteCommit}
import io.sparklance.table.commit.CommitOutcome
import io.sparklance.table.transaction.Operation

/** Commits the results of all tasks of a statement as one version.
  *
  * @param keys
  *   primary key of inserted rows, if a MERGE compares it
  */
final private[spark] class RowLevelCommit(
    dataset: Dataset,
    command: Command,
    options: CommitOptions,
    isolation: StatementIsolation = StatementIsolation.none,
    keys: Option[KeySpec] = None
) {

  /** Names the statement in Spark's UI. */
  def title: String = s"version ${dataset.version}, ${command.name}"

  /** Whether the table has these changes already, because the batch was committed before. */
  def isDone: Boolean = WriteCommit.isDone(dataset, options)

  /** Commits the changes. Without changes it commits only a batch, which the table must remember. */
  def publish(messages: Vector[DeltaMessage]): Option[CommitOutcome] = {
    val deleted = RowSet.union(messages.map(_.deletedRows))
    val updates = messages.map(_.updatedRows)
    val gone = RowSet.union(deleted +: updates)
    val counts = RowCounts(messages.map(_.inserted.count).sum, updates.map(_.count).sum, deleted.count)
    if (gone.count != counts.updated + counts.deleted) throw RowLevelCommit.ambiguous
    operation(gone, messages).map(commit(_, counts, messages.flatMap(_.files)))
  }

  private def operation(gone: RowSet, messages: Vector[DeltaMessage]): Option[Operation] = {
    val files = messages.flatMap(_.movedRows)
    def inserting(update: Operation.Update) =
      keys.fold(update)(_.in(update, messages.flatMap(_.inserted.keys)))
    if (files.isEmpty)
      if (gone.isEmpty) Option.when(options.batch.isDefined)(Dataset.appending(Vector.empty))
      else Some(RowOperations.delete(dataset, gone, predicate = ""))
    else if (gone.isEmpty && keys.isEmpty) Some(Dataset.appending(files.map(_.file)))
    else Some(inserting(RowOperations.update(dataset, gone, files)))
  }

  private def commit(operation: Operation, counts: RowCounts, files: Vector[WrittenFile]): CommitOutcome =
    dataset.commit(
      operation,
      RowLevelCommit.properties(
        dataset,
        options.statement.getOrElse(Statement(command.name)),
        operation,
        counts,
        options
      ),
      isolation.guard(dataset, options, files)
    ).commit
}

private[spark] object RowLevelCommit {

  /** Returns the properties of the transaction. */
  def properties(
      dataset: Dataset,
      statement: Statement,
      operation: Operation,
      counts: RowCounts,
      options: CommitOptions
  ): Map[String, String] = statement
    .withRows(counts.inserted, counts.updated, counts.deleted)
    .properties(operation, Some(dataset)) ++ options.properties

  /** Error for rows that several source rows match. Spark detects most of them, but not those that it sent to
    * different tasks.
    */
  def ambiguous: LanceUsageException = new LanceUsageException(
    "Several rows of a MERGE's source match one row of the table, so its new state is ambiguous. Make " +
      "the source's keys unique, for example with GROUP BY or dropDuplicates. Nothing was committed."
  )
}
