package io.sparklance.spark.metadata

import io.sparklance.dataset.{Dataset, KnownVersion}
import io.sparklance.spark.history.CommitDescription
import io.sparklance.spark.options.MetadataTableName

/** The transaction of each version of a table, newest first. */
private[spark] object TransactionsTable extends DriverTable[KnownVersion](MetadataTableName.Transactions) {

  protected val columns: TableColumns[KnownVersion] = new TableColumns(
    TableColumn("version", "BIGINT NOT NULL", "version that the transaction created", _.version),
    TableColumn("timestamp", "TIMESTAMP NOT NULL", "time of the commit", _.timestamp),
    TableColumn(
      "operation",
      "STRING",
      "name in the format; null, like all further columns, if the version has no transaction",
      _.transaction.map(_.operation.name)
    ),
    TableColumn("user_name", "STRING", "user who committed it", described(_).flatMap(_.user)),
    TableColumn(
      "command",
      "STRING",
      "statement, as DESCRIBE HISTORY shows it",
      described(_).map(_.operation)
    ),
    TableColumn(
      "parameters",
      "MAP<STRING, STRING>",
      "parameters of the statement",
      described(_).flatMap(_.parameters)
    ),
    TableColumn(
      "metrics",
      "MAP<STRING, STRING>",
      "counts of rows, files and bytes",
      described(_).flatMap(_.metrics)
    ),
    TableColumn(
      "read_version",
      "BIGINT",
      "version that the transaction is based on",
      _.transaction.map(_.readVersion)
    ),
    TableColumn("uuid", "STRING", "UUID of the transaction", _.transaction.map(_.uuid)),
    TableColumn(
      "properties",
      "MAP<STRING, STRING>",
      "notes on the commit",
      _.transaction.map(_.properties)
    )
  )

  private def described(version: KnownVersion): Option[CommitDescription] =
    version.transaction.map(new CommitDescription(_))

  protected def items(dataset: Dataset): Iterator[KnownVersion] =
    KnownVersion.all(dataset, withTransactions = true).iterator
}
