package io.sparklance.dataset

import java.time.Instant

import io.sparklance.LanceFormatException
import io.sparklance.table.commit.TransactionFiles
import io.sparklance.table.transaction.Transaction
import io.sparklance.table.{Manifest, Versions}

/** A version of a table and how it came about.
  *
  * @param transaction none if nothing is known of it any more
  */
final case class Commit(
    version: Long,
    timestamp: Instant,
    manifest: Manifest,
    transaction: Option[Transaction]
)

/** What a table's versions tell. */
final class History(dataset: Dataset) {
  private val versions = new Versions(dataset.store, dataset.root)
  private val transactions = new TransactionFiles(dataset.store, dataset.root)

  /** Newest first, read one by one. */
  def commits: Iterator[Commit] = versions.list().reverseIterator.map { file =>
    LanceFormatException.locating(file.location) {
      val stored = versions.readWhole(file)
      Commit(file.version, stored.manifest.timestamp, stored.manifest, transactions.of(stored.origin))
    }
  }

  /** What made a version. None if nothing is known of it, or if it is not kept. */
  def transactionOf(version: Long): Option[Transaction] =
    versions.find(version).flatMap { file =>
      LanceFormatException.locating(file.location)(transactions.of(versions.origin(file)))
    }
}
