package io.sparklance.spark.history

import io.sparklance.table.transaction.Transaction

/** A transaction as `DESCRIBE HISTORY` shows it, in Delta Lake's terms. Transactions of other software only
  * have the format's name of their operation.
  */
final private[spark] class CommitDescription(transaction: Transaction) {
  private val properties = transaction.properties
  private val command = properties.get(Recorded.Command)

  def user: Option[String] = properties.get(Recorded.User)
  def operation: String = command.getOrElse(transaction.operation.name)

  def parameters: Option[Map[String, String]] = command.map { _ =>
    properties.collect {
      case (key, value) if key.startsWith(Recorded.Parameter) => key.stripPrefix(Recorded.Parameter) -> value
    }
  }

  def metrics: Option[Map[String, String]] = command.map { command =>
    CommitDescription.metrics(command).collect {
      case (name, property) if properties.contains(property) => name -> properties(property)
    } ++ (if (command == CommitDescription.Streamed) merged else None)
  }

  /** Rows that an epoch wrote by merging them: new ones, and those that replaced others. */
  private def merged: Option[(String, String)] = properties.get(Recorded.RowsUpdated).map { updated =>
    "numOutputRows" -> (properties.getOrElse(Recorded.RowsInserted, "0").toLong + updated.toLong).toString
  }
}

private object CommitDescription {
  final private val Streamed = "STREAMING UPDATE"

  import Recorded._

  private val files = Map(
    "numAddedFiles" -> FilesAdded,
    "numAddedBytes" -> BytesAdded,
    "numRemovedFiles" -> FilesRemoved,
    "numRemovedBytes" -> BytesRemoved
  )

  private val written = Map(
    "numOutputRows" -> RowsInserted,
    "numFiles" -> FilesAdded,
    "numOutputBytes" -> BytesAdded,
    "numRemovedFiles" -> FilesRemoved,
    "numRemovedBytes" -> BytesRemoved,
    "numDeletedRows" -> RowsDeleted
  )

  private val merged = Map(
    "numTargetRowsInserted" -> RowsInserted,
    "numTargetRowsUpdated" -> RowsUpdated,
    "numTargetRowsDeleted" -> RowsDeleted,
    "numTargetFilesAdded" -> FilesAdded,
    "numTargetFilesRemoved" -> FilesRemoved,
    "numTargetBytesAdded" -> BytesAdded,
    "numTargetBytesRemoved" -> BytesRemoved
  )

  private val restored = Map(
    "numRestoredFiles" -> FilesAdded,
    "restoredFilesSize" -> BytesAdded,
    "numRemovedFiles" -> FilesRemoved,
    "removedFilesSize" -> BytesRemoved
  )

  private val streamed = Map(
    "numOutputRows" -> RowsInserted,
    "numOutputBytes" -> BytesAdded,
    "numAddedFiles" -> FilesAdded,
    "numRemovedFiles" -> FilesRemoved
  )

  /** Returns the property for the value of each metric, by the metric's name. */
  private def metrics(command: String): Map[String, String] = command match {
    case "MERGE" => merged
    case "DELETE" | "TRUNCATE" => files + ("numDeletedRows" -> RowsDeleted)
    case "UPDATE" => files + ("numUpdatedRows" -> RowsUpdated)
    case Streamed => streamed
    case "RESTORE" => restored
    case "WRITE" => written
    case making if making.endsWith("TABLE") || making.endsWith("AS SELECT") => written
    case _ => files
  }
}
