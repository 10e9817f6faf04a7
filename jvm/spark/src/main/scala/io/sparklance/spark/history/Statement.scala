package io.sparklance.spark.history

import org.apache.spark.sql.SparkSession

import io.sparklance.dataset.{Dataset, FileChanges, WriteOutcome}
import io.sparklance.table.transaction.Operation

/** A statement or call, as its transaction records it.
  *
  * @param command
  *   the operation, as Delta Lake names it
  * @param parameters
  *   further arguments of the statement
  * @param rows
  *   row counts by property name, for operations that do not determine them
  */
final private[sparklance] case class Statement(
    command: String,
    parameters: Map[String, String] = Map.empty,
    rows: Map[String, Long] = Map.empty
) {

  def withRows(inserted: Long, updated: Long, deleted: Long): Statement = copy(rows =
    Map(Recorded.RowsInserted -> inserted, Recorded.RowsUpdated -> updated, Recorded.RowsDeleted -> deleted)
  )

  /** Returns the properties of the transaction.
    *
    * @param before
    *   the version that the operation was planned on; None for a new table
    */
  def properties(operation: Operation, before: Option[Dataset]): Map[String, String] =
    said ++ counts(operation, before)

  /** Properties without row counts. */
  def said: Map[String, String] =
    Map(Recorded.Command -> command, Recorded.User -> CurrentUser.name) ++
      parameters.map { case (name, value) => Recorded.Parameter + name -> value }

  /** Commits the operation, and records this statement in its transaction. */
  def commit(dataset: Dataset, operation: Operation): WriteOutcome =
    dataset.commit(operation, properties(operation, Some(dataset)))

  private def counts(operation: Operation, before: Option[Dataset]): Map[String, String] = {
    val files = FileChanges.of(operation, before)
    val known = Map(
      Recorded.FilesAdded -> files.added.size.toLong,
      Recorded.BytesAdded -> files.bytesAdded,
      Recorded.FilesRemoved -> files.removed.size.toLong,
      Recorded.BytesRemoved -> files.bytesRemoved
    ) ++ inserted(operation, files) ++ rows
    val isOfData = known.values.exists(_ != 0) || known.contains(Recorded.RowsInserted)
    if (isOfData) known.map { case (name, count) => name -> count.toString } else Map.empty
  }

  /** Counts inserted rows. Updates and compaction only rewrite rows. */
  private def inserted(operation: Operation, files: FileChanges): Map[String, Long] = operation match {
    case _: Operation.Append | _: Operation.Overwrite => Map(Recorded.RowsInserted -> files.rowsAdded)
    case _: Operation.Merge if files.rowsAdded > 0 => Map(Recorded.RowsInserted -> files.rowsAdded)
    case _ => Map.empty
  }
}

private[sparklance] object Statement {

  /** An append in one of Spark's save modes. */
  def write(mode: String, more: (String, String)*): Statement =
    Statement("WRITE", Map("mode" -> mode) ++ more)

  /** Removal of all rows. Their number is recorded if the manifest has it. */
  def truncate(table: Dataset): Statement = Statement(
    "TRUNCATE",
    rows = table.knownRowCount.map(Recorded.RowsDeleted -> _).toMap
  )
}

/** The user on whose behalf the driver commits. */
private[spark] object CurrentUser {

  /** Tag that Spark Connect sets on the jobs of a client's statement. */
  private val ConnectTag = "SparkConnect_OperationTag_User_(.+)_Session_.+_Operation_.+".r

  /** Name of the client's user over Spark Connect, or of the application's user. */
  def name: String = {
    val context = SparkSession.active.sparkContext
    context.getJobTags().collectFirst { case ConnectTag(user) => user }.getOrElse(context.sparkUser)
  }
}
