package io.sparklance.table.commit

import io.sparklance.io.{ObjectStore, StorePath, WholeFile}
import io.sparklance.table.transaction.{OperationCodec, Transaction}
import io.sparklance.table.{ManifestCodec, Origin}
import io.sparklance.{LanceFormatException, Location}

/** The table's `_transactions` directory: one message a file, without length or footer. */
final private[sparklance] class TransactionFiles(store: ObjectStore, root: String) {

  /** Returns the transaction of a version, from its manifest or, for old writers, from a file. None if it is
    * in neither.
    */
  def of(version: Origin): Option[Transaction] =
    version.transaction
      .map(OperationCodec.decode)
      .orElse(Option(version.transactionFile).filter(_.nonEmpty).flatMap(read))

  def write(transaction: Transaction): Unit =
    store.put(path(transaction.fileName), OperationCodec.encode(transaction).toByteArray)

  /** Writes a transaction file. The manifest holds the transaction, too, unless it is too large. */
  def writeBeside(transaction: Transaction): Unit = {
    val message = OperationCodec.encode(transaction)
    if (ManifestCodec.keepsInline(message))
      store.putExpendable(path(transaction.fileName), message.toByteArray)
    else write(transaction)
  }

  /** Finds a transaction by its uuid, committed or not. */
  def find(uuid: String): Option[Transaction] = store
    .list(StorePath.join(root, "_transactions"))
    .map(_.name)
    .find(name => name.endsWith(s"-$uuid.txn") && name.takeWhile(_ != '-') + s"-$uuid.txn" == name)
    .flatMap(read)

  private def read(name: String): Option[Transaction] = {
    if (name.contains('/'))
      throw new LanceFormatException(s"the manifest names $name as its transaction's file")
    WholeFile.ifExists(store, path(name)) { file =>
      LanceFormatException.locating(Location(file = Some(file.path)))(
        OperationCodec.decode(WholeFile.bytes(file), name)
      )
    }
  }

  def path(name: String): String = StorePath.join(root, "_transactions", name)
}
