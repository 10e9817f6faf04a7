package io.sparklance.spark.rowlevel

import org.apache.spark.sql.connector.write.RowLevelOperation.Command

import io.sparklance.LanceUsageException
import io.sparklance.dataset.backfill.FilledFragment
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.dataset.{ChangedColumns, Dataset, MovedRows, RowOperations, RowSet}
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.history.Statement
import io.sparklance.spark.isolation.StatementIsolation
import io.sparklance.spark.options.CommitOptions
import io.sparklance.spark.write.{KeySpec, RowCounts, WriteCommit}
import io.sparklance.table.commit.CommitOutcome
import io.sparklance.table.deletion.DeletionVector
import io.sparklance.table.transaction.Operation

/** Commits the results of all tasks of a statement as one version.
  *
  * @param keys
  *   primary key of inserted rows, if a MERGE compares it
  * @param columns
  *   columns that are written in place
  */
final private[spark] class RowLevelCommit(
    dataset: Dataset,
    command: Command,
    options: CommitOptions,
    isolation: StatementIsolation = StatementIsolation.none,
    keys: Option[KeySpec] = None,
    columns: Option[LanceSchema] = None
) {

  /** Names the statement in Spark's UI. */
  def title: String = s"version ${dataset.version}, ${command.name}"

  /** Whether the table has these changes already, because the batch was committed before. */
  def isDone: Boolean = WriteCommit.isDone(dataset, options)

  /** Commits the changes. Without changes it commits only a batch, which the table must remember. */
  def publish(messages: Vector[DeltaMessage]): Option[CommitOutcome] = {
    val deleted = RowSet.union(messages.map(_.deletedRows))
    val updates = messages.map(_.updatedRows)
    val changes = messages.map(_.changedRows)
    val gone = RowSet.union(deleted +: updates)
    val updated = (updates ++ changes).map(_.count).sum
    val counts = RowCounts(messages.map(_.inserted.count).sum, updated, deleted.count)
    if (RowSet.union(gone +: changes).count != counts.updated + counts.deleted) throw RowLevelCommit.ambiguous
    operation(gone, messages).map(commit(_, counts, messages.flatMap(_.rowFiles)))
  }

  private def operation(gone: RowSet, messages: Vector[DeltaMessage]): Option[Operation] = {
    val files = messages.flatMap(_.movedRows)
    def inserting(update: Operation.Update) =
      keys.fold(update)(_.in(update, messages.flatMap(_.inserted.keys)))
    val filled = messages.flatMap(_.columns)
    if (filled.nonEmpty) {
      val moves = messages.exists(!_.updatedRows.isEmpty)
      Some(inserting(inPlace(gone, files, filled, moves)))
    } else if (files.isEmpty)
      if (gone.isEmpty) Option.when(options.batch.isDefined)(Dataset.appending(Vector.empty))
      else Some(RowOperations.delete(dataset, gone, predicate = ""))
    else if (gone.isEmpty && keys.isEmpty) Some(Dataset.appending(files.map(_.file)))
    else Some(inserting(RowOperations.update(dataset, gone, files)))
  }

  private def inPlace(
      gone: RowSet,
      files: Vector[MovedRows],
      filled: Vector[FilledFragment],
      moves: Boolean
  ): Operation.Update = {
    if (filled.map(_.id).distinct.size != filled.size) throw RowLevelCommit.torn
    val changed =
      filled.map(of => ChangedColumns(of.id, of.file, DeletionVector.unpacked(of.changed)))
    val fields = columns.fold(Vector.empty[Int])(_.preOrder.map(_.id))
    RowOperations.inPlace(dataset, gone, files, changed, fields, moves)
  }

  /** The statement, with the columns that it writes in place. */
  private def statement: Statement = options.statement.getOrElse {
    val named = columns.map(schema => "columns" -> schema.fields.map(_.name).mkString(", "))
    Statement(command.name, named.toMap)
  }

  private def commit(operation: Operation, counts: RowCounts, files: Vector[WrittenFile]): CommitOutcome =
    dataset.commit(
      operation,
      RowLevelCommit.properties(
        dataset,
        statement,
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

  /** Error for the case that Spark ignored the required distribution and split a fragment's rows. */
  private def torn = new LanceUsageException(
    "Several tasks received rows of one fragment, so each would have written its columns. Nothing was committed."
  )

  /** Error for rows that several source rows match. Spark detects most of them, but not those that it sent to
    * different tasks.
    */
  def ambiguous: LanceUsageException = new LanceUsageException(
    "Several rows of a MERGE's source match one row of the table, so its new state is ambiguous. Make " +
      "the source's keys unique, for example with GROUP BY or dropDuplicates. Nothing was committed."
  )
}
