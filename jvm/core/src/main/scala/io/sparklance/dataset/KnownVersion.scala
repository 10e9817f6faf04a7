package io.sparklance.dataset

import java.time.Instant

import io.sparklance.LanceFormatException
import io.sparklance.table.commit.TransactionFiles
import io.sparklance.table.transaction.Transaction
import io.sparklance.table.{Manifest, VersionFile, Versions}

/** A version of a table, of which nothing is read but what is asked for. */
final class KnownVersion private (dataset: Dataset, versions: Versions, val file: VersionFile) {
  def version: Long = file.version
  lazy val manifest: Manifest = located(versions.read(file))
  def timestamp: Instant = located(manifest.timestamp)
  def manifestBytes: Long = located(file.sizeIn(dataset.store))

  /** What made it, if that is known. */
  lazy val transaction: Option[Transaction] =
    located(new TransactionFiles(dataset.store, dataset.root).of(versions.origin(file)))

  private def located[A](body: => A): A = LanceFormatException.locating(file.location)(body)
}

object KnownVersion {

  /** Those that are kept, up to the dataset's own, newest first. */
  def all(dataset: Dataset): Vector[KnownVersion] = {
    val versions = new Versions(dataset.store, dataset.root)
    versions.list().filter(_.version <= dataset.version).reverse.map(new KnownVersion(dataset, versions, _))
  }
}
