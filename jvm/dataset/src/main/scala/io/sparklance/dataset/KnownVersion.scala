package io.sparklance.dataset

import java.time.Instant

import io.sparklance.LanceFormatException
import io.sparklance.table.commit.TransactionFiles
import io.sparklance.table.transaction.Transaction
import io.sparklance.table.{Manifest, ManifestFile, StoredVersion, Versions}

/** A version of a table. Reads its file only for the values that are asked for. */
final class KnownVersion private (
    dataset: Dataset,
    versions: Versions,
    val file: ManifestFile,
    withTransaction: Boolean
) {
  def version: Long = file.version

  /** The manifest and the transaction, read at once. */
  private lazy val stored: StoredVersion = located(versions.readWhole(file))
  lazy val manifest: Manifest = if (withTransaction) stored.manifest else located(versions.read(file))
  def timestamp: Instant = located(manifest.timestamp)
  def manifestBytes: Long = located(file.sizeIn(dataset.store))

  /** The transaction that made the version, if the table still has it. */
  lazy val transaction: Option[Transaction] =
    located {
      val origin = if (withTransaction) stored.origin else versions.origin(file)
      new TransactionFiles(dataset.store, dataset.root).of(origin)
    }

  private def located[A](body: => A): A = LanceFormatException.locating(file.location)(body)
}

object KnownVersion {

  /** Returns the versions that the table still has, up to the dataset's own, newest first.
    *
    * @param withTransactions
    *   whether the caller wants the transactions of all of them, so that each file is opened only once
    */
  def all(dataset: Dataset, withTransactions: Boolean = false): Vector[KnownVersion] = {
    val versions = new Versions(dataset.store, dataset.root)
    val files = versions.list().filter(_.version <= dataset.version)
    files.reverse.map(new KnownVersion(dataset, versions, _, withTransactions))
  }
}
