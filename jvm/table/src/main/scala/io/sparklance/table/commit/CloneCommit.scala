package io.sparklance.table.commit

import java.time.Instant
import java.util.UUID

import scala.util.control.NonFatal

import io.sparklance.LanceUsageException
import io.sparklance.io.ObjectStore
import io.sparklance.table.transaction.operations.ApplyOperation
import io.sparklance.table.transaction.{Operation, OperationCodec, TableState, Transaction}
import io.sparklance.table.{FeatureFlags, Manifest, ManifestCodec, ManifestNaming, StoredVersion, Versions}

/** Creates a table or branch at `root` from a version of another table, and keeps using its files. */
final private[sparklance] class CloneCommit(store: ObjectStore, root: String) {
  private val versions = new Versions(store, root)
  private val transactions = new TransactionFiles(store, root)

  /** @param source the version, read by [[Versions.readWhole]] */
  def commit(source: StoredVersion, clone: Operation.Clone, properties: Map[String, String]): Manifest = {
    FeatureFlags.checkReadable(source.manifest)
    FeatureFlags.checkWritable(source.manifest)
    if (versions.list().nonEmpty) throw exists
    val number = source.manifest.version
    val transaction = Transaction(number, UUID.randomUUID().toString, clone, properties = properties)
    val state = TableState.of(source)
    val next = ApplyOperation.cloned(state, transaction, transaction.fileName, Instant.now())
    val bytes = ManifestCodec.encode(next.manifest, next.indexSection, OperationCodec.encode(transaction))
    transactions.write(transaction)
    val path = versions.path(number, ManifestNaming.V2)
    if (!store.commits.commit(store, path, number, bytes)) {
      remove(transaction.fileName)
      throw exists
    }
    versions.writeHint(number)
    next.manifest
  }

  /** Takes back what [[commit]] has made, unless others have committed to it since. */
  def takeBack(made: Manifest): Unit =
    if (versions.latest().forall(_.version == made.version)) {
      store.commits.retract(store, versions.path(made.version, ManifestNaming.V2), made.version)
      remove(made.message.transactionFile)
    }

  /** Removes the transaction file, best effort: a remaining file does no harm. */
  private def remove(transaction: String): Unit =
    try store.delete(transactions.path(transaction))
    catch { case NonFatal(_) => () }

  private def exists = new LanceUsageException(
    s"A table exists at $root already, so no clone can be created there. Choose another path."
  )
}
