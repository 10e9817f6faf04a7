package io.sparklance.spark.metadata

import io.sparklance.dataset.{Dataset, KnownVersion}
import io.sparklance.spark.history.CommitDescription
import io.sparklance.spark.options.MetadataTableName

/** The transaction of each version of a table, newest first. */
private[spark] object TransactionsTable extends DriverTable[KnownVersion](MetadataTableName.Transactions) {

  protected val columns: TableColumns[KnownVersion] = new TableColumns(
    TableColumn("version", "BIGINT NOT NULL", "that it made", _.version),
    TableColumn("timestamp", "TIMESTAMP NOT NULL", "when it was committed", _.timestamp),
    TableColumn(
      "operation",
      "STRING",
      "as the format calls it; null, as what follows, if nothing is known",
      _.transaction.map(_.operation.name)
    ),
    TableColumn("user_name", "STRING", "who committed it", described(_).flatMap(_.user)),
    TableColumn(
      "command",
      "STRING",
      "the statement, as DESCRIBE HISTORY shows it",
      described(_).map(_.operation)
    ),
    TableColumn("parameters", "MAP<STRING, STRING>", "of the statement", described(_).flatMap(_.parameters)),
    TableColumn("metrics", "MAP<STRING, STRING>", "rows and files", described(_).flatMap(_.metrics)),
    TableColumn("read_version", "BIGINT", "on which it was begun", _.transaction.map(_.readVersion)),
    TableColumn("uuid", "STRING", "of the transaction", _.transaction.map(_.uuid)),
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
