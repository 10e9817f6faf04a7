package io.sparklance.table.commit

import java.util.concurrent.ConcurrentHashMap

import scala.collection.concurrent.TrieMap
import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import io.sparklance.io.{Concurrently, ObjectStore}
import io.sparklance.proto.{table => pb}
import io.sparklance.table.deletion.{DeletionFiles, DeletionVector}
import io.sparklance.table.transaction.{AffectedRows, Operation, Transaction}
import io.sparklance.table.{DeletionFile, Fragment, Manifest, TablePaths}
import io.sparklance.{LanceFormatException, Location, RetryableCommitConflictException}

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

/** Turns the rows that one commit deletes into deletion files of the fragments as they are by now: others may
  * have deleted rows of the same fragments meanwhile, which stay deleted. A fragment without a row left is
  * removed. Others get the column files that the commit has for them.
  *
  * Files of different fragments are read and written at the same time. Those that an earlier attempt of the
  * commit wrote are used again where the fragment is still the same.
  */
final private[commit] class RowDeletions(store: ObjectStore, root: String) {
  import RowDeletions._

  private val written = TrieMap.empty[Basis, DeletionFile]
  private val begun = ConcurrentHashMap.newKeySet[String]()

  /** Paths at which files may exist, including those whose writing failed. */
  def paths: Vector[String] = begun.asScala.toVector

  /** The operation as it is to be stored, on the latest version. */
  def onto(latest: Manifest, operation: Operation): Operation = operation match {
    case delete: Operation.Delete if delete.affected.nonEmpty =>
      val (removed, updated) = deleted(latest, delete.affected)
      delete.copy(message =
        delete.message.copy(
          updatedFragments = delete.message.updatedFragments ++ updated,
          deletedFragmentIds = delete.message.deletedFragmentIds ++ removed
        )
      )
    case update: Operation.Update if update.affected.nonEmpty =>
      val (removed, updated) = deleted(latest, update.affected)
      update.copy(message =
        update.message.copy(
          updatedFragments = update.message.updatedFragments ++ updated,
          removedFragmentIds = update.message.removedFragmentIds ++ removed
        )
      )
    case other => other
  }

  /** The fragments without any row left, and the others with their deletion files. */
  private def deleted(
      latest: Manifest,
      affected: Vector[AffectedRows]
  ): (Vector[Long], Vector[pb.DataFragment]) = {
    val now = latest.fragments.iterator.map(f => f.id -> f).toMap
    val paths = new TablePaths(root, latest)
    val live = latest.message.fields.map(_.id).toSet
    val each = Concurrently.mapToEnd(affected, threads(affected.size)) { affectedRows =>
      val fragment = now.getOrElse(affectedRows.asRead.id, throw gone(affectedRows, latest))
      val all = withDeleted(affectedRows, fragment, paths, latest)
      if (all.cardinality == affectedRows.physicalRows) Left(fragment.id)
      else {
        val changed =
          affectedRows.columns.fold(fragment)(now => fragment.withFile(now.file).keeping(live)).message
        if (affectedRows.rows.cardinality == 0) Right(changed)
        else {
          val basis = Basis(fragment.id, fragment.message.deletionFile)
          val file = written.getOrElseUpdate(basis, write(fragment.id, latest.version, all))
          Right(changed.copy(deletionFile = Some(file.message)))
        }
      }
    }
    each.partitionMap(identity)
  }

  /** Number of threads; a few fragments need none. */
  private def threads(fragments: Int): Int = math.min(fragments / 4, store.profile.firstRequests)

  private def write(fragmentId: Long, readVersion: Long, rows: DeletionVector): DeletionFile = {
    val file = DeletionFiles.file(readVersion, rows)
    val path = file.path(root, fragmentId)
    val _ = begun.add(path)
    DeletionFiles.write(store, path, file.kind, rows)
    file
  }

  /** All rows to be deleted of a fragment; those that are already must be others than ours. */
  private def withDeleted(
      affectedRows: AffectedRows,
      fragment: Fragment,
      paths: TablePaths,
      latest: Manifest
  ): DeletionVector = fragment.deletionFile match {
    case None => affectedRows.rows
    case Some(file) =>
      val sameAsRead = fragment.message.deletionFile == affectedRows.asRead.message.deletionFile
      if (sameAsRead && affectedRows.rows.cardinality == 0) affectedRows.rows
      else {
        val path = paths.deletionFile(fragment, file)
        val before = DeletionFiles.read(store, path, file.kind, affectedRows.physicalRows, file.deletedRows)
        if (!sameAsRead && affectedRows.meets(before)) throw sameRow(fragment, latest)
        before.union(affectedRows.rows)
      }
  }

  private def sameRow(fragment: Fragment, latest: Manifest) = new RetryableCommitConflictException(
    s"The write to $root deletes or changes rows of fragment ${fragment.id} that others deleted or changed up to version " +
      s"${latest.version}. Nothing was committed; read the latest version and write again."
  )

  private def gone(affectedRows: AffectedRows, latest: Manifest) = new LanceFormatException(
    s"fragment ${affectedRows.asRead.id}, which has rows to delete, is gone, though no transaction up to version " +
      s"${latest.version} removed it",
    Location(file = Some(root))
  )
}

private[commit] object RowDeletions {

  /** The state for which a file was written: a fragment and its deletion file. */
  private case class Basis(fragmentId: Long, deletionFile: Option[pb.DeletionFile])
}
