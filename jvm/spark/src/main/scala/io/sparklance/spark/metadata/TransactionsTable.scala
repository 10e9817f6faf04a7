package io.sparklance.spark.metadata

import io.sparklance.dataset.{Dataset, KnownVersion}

/** What made each version of a table, newest first. */
private[metadata] object TransactionsTable extends DriverTable[KnownVersion]("transactions") {

  protected val columns: MetadataColumns[KnownVersion] = new MetadataColumns(
    MetadataColumn("version", "BIGINT NOT NULL", "that it made", _.version),
    MetadataColumn("timestamp", "TIMESTAMP NOT NULL", "when it was committed", _.timestamp),
    MetadataColumn(
      "operation",
      "STRING",
      "as the format calls it; null, as what follows, if nothing is known",
      _.transaction.map(_.operation.name)
    ),
    MetadataColumn("read_version", "BIGINT", "on which it was begun", _.transaction.map(_.readVersion)),
    MetadataColumn("uuid", "STRING", "of the transaction", _.transaction.map(_.uuid)),
    MetadataColumn(
      "properties",
      "MAP<STRING, STRING>",
      "notes on the commit",
      _.transaction.map(_.properties)
    )
  )

  protected def items(dataset: Dataset): Iterator[KnownVersion] = KnownVersion.all(dataset).iterator
}
