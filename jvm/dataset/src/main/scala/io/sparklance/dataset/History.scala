package io.sparklance.dataset

import io.sparklance.LanceFormatException
import io.sparklance.table.Versions
import io.sparklance.table.commit.TransactionFiles
import io.sparklance.table.transaction.Transaction

/** The transactions that made the versions of a table. */
final class History(dataset: Dataset) {
  private val versions = new Versions(dataset.store, dataset.root)
  private val transactions = new TransactionFiles(dataset.store, dataset.root)

  /** Returns the transaction that made a version; None if the table has no such version, or no record of its
    * transaction.
    */
  def transactionOf(version: Long): Option[Transaction] =
    versions.find(version).flatMap { file =>
      LanceFormatException.locating(file.location)(transactions.of(versions.origin(file)))
    }
}
