package io.sparklance.table.commit

import scala.collection.mutable
import scala.util.control.NonFatal

import io.sparklance.io.ObjectStore
import io.sparklance.table.Manifest
import io.sparklance.table.deletion.DeletionFiles
import io.sparklance.table.transaction.{Operation, Transaction}

/** The small files that the attempts of one commit write: its transaction and deletion files. Those of attempts that lost
  * are deleted in the end.
  */
final private[commit] class CommitFiles(store: ObjectStore, root: String) {
  private val transactions = new TransactionFiles(store, root)
  private val deletions = new RowDeletions(store, root)
  private val transactionNames = mutable.Set.empty[String]
  private var written = Option.empty[Transaction]

  /** The transaction as it is to be stored on top of `latest`. With deletion files of that version, it was read there. */
  def onto(latest: Manifest, transaction: Transaction): Transaction = {
    val operation = deletions.onto(latest, transaction.operation)
    val rebased = operation match {
      case _: Operation.Delete | _: Operation.Update => latest.version
      case _ => transaction.readVersion
    }
    transaction.copy(readVersion = rebased, operation = operation)
  }

  /** Attempts that come to the same need no new file. */
  def write(transaction: Transaction): Unit = if (!written.contains(transaction)) {
    transactionNames += transaction.fileName
    transactions.writeBeside(transaction)
    written = Some(transaction)
  }

  def deleteAll(): Unit = delete(transactionPaths ++ deletions.paths)

  /** Keeps what a version refers to, which one of the attempts has made. */
  def deleteAllBut(manifest: Manifest): Unit = {
    val used = manifest.fragments.flatMap(f => f.deletionFile.map(DeletionFiles.path(root, f.id, _))).toSet +
      transactions.path(manifest.message.transactionFile)
    delete((transactionPaths ++ deletions.paths).filterNot(used))
  }

  private def transactionPaths: Vector[String] = transactionNames.toVector.map(transactions.path)

  /** Best effort: a file that stays is clutter, not harm. */
  private def delete(paths: Vector[String]): Unit = paths.foreach { path =>
    try store.delete(path)
    catch { case NonFatal(_) => () }
  }
}
