package io.sparklance.table.commit

import scala.collection.mutable
import scala.util.control.NonFatal

import io.sparklance.io.ObjectStore
import io.sparklance.table.Manifest
import io.sparklance.table.transaction.{Operation, Transaction}

/** The small files that the attempts of one commit write: transaction and deletion files. Files of losing
  * attempts are deleted in the end.
  */
final private[commit] class CommitFiles(store: ObjectStore, root: String) {
  private val transactions = new TransactionFiles(store, root)
  private val deletions = new RowDeletions(store, root)
  private val transactionNames = mutable.Set.empty[String]
  private var written = Option.empty[Transaction]

  /** Returns the transaction to store on top of `latest`, with deletion files based on that version. */
  def onto(latest: Manifest, transaction: Transaction): Transaction = {
    val operation = deletions.onto(latest, transaction.operation)
    val rebased = operation match {
      case _: Operation.Delete | _: Operation.Update => latest.version
      case _ => transaction.readVersion
    }
    transaction.copy(readVersion = rebased, operation = operation)
  }

  /** Writes a transaction file, unless an equal one was written already. */
  def write(transaction: Transaction): Unit = if (!written.contains(transaction)) {
    transactionNames += transaction.fileName
    transactions.writeBeside(transaction)
    written = Some(transaction)
  }

  def deleteAll(): Unit = delete(transactionPaths ++ deletions.paths)

  /** Deletes all files but those that the committed version refers to. */
  def deleteAllBut(manifest: Manifest): Unit = {
    val used = manifest.fragments.flatMap(f => f.deletionFile.map(_.path(root, f.id))).toSet +
      transactions.path(manifest.message.transactionFile)
    delete((transactionPaths ++ deletions.paths).filterNot(used))
  }

  private def transactionPaths: Vector[String] = transactionNames.toVector.map(transactions.path)

  /** Deletes files, best effort: a remaining file does no harm. */
  private def delete(paths: Vector[String]): Unit = paths.foreach { path =>
    try store.delete(path)
    catch { case NonFatal(_) => () }
  }
}
