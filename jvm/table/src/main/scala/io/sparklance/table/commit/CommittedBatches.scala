package io.sparklance.table.commit

import scala.collection.immutable.TreeMap

import io.sparklance.io.ObjectStore
import io.sparklance.table.Versions
import io.sparklance.table.transaction.{BatchId, Operation, RememberedBatches, Transaction}

/** The batches in the history that leads to a version. A batch that a RESTORE took back is not in it, unless
  * a later RESTORE brought it back. Batches of versions that were cleaned up are forgotten, unless the
  * table's config remembers them.
  */
final private[sparklance] class CommittedBatches(store: ObjectStore, root: String) {
  private val versions = new Versions(store, root)
  private val transactions = new TransactionFiles(store, root)

  /** The version with which a batch was committed, or a later one of the same application, in the history of
    * `last`.
    */
  def version(batch: BatchId, last: Long): Option[Long] =
    latest(batch, last).collect { case (version, committed) if batch.isIn(committed) => version }

  /** The last batch of the application of another one, with its version, in the history of `last`. If the
    * config tells, the version is the latest one up to `last`: that of the batch may be cleaned up.
    */
  def latest(batch: BatchId, last: Long): Option[(Long, BatchId)] = {
    val now =
      if (batch.isRemembered) versions.list().filter(_.version <= last).lastOption.map(versions.read)
      else None
    val told = now.flatMap { version =>
      RememberedBatches.in(version.config).find(_.application == batch.application).map(version.version -> _)
    }
    told.orElse(if (now.exists(n => !RememberedBatches.isFull(n.config))) None else searched(batch, last))
  }

  /** Searches the history. The newest transaction of the application decides, so this mostly ends soon. */
  private def searched(batch: BatchId, last: Long): Option[(Long, BatchId)] = history(last)
    .flatMap { case (version, made) =>
      BatchId.of(made.properties).filter(_.application == batch.application).map(version -> _)
    }
    .nextOption()

  /** The transactions that led to a version, newest first. */
  private def history(last: Long): Iterator[(Long, Transaction)] = {
    val files = TreeMap.from(versions.list().map(file => file.version -> file))
    Iterator
      .unfold(last) { from =>
        files.rangeTo(from).lastOption.map { case (version, file) =>
          val made = transactions.of(versions.origin(file))
          (made.map(version -> _), before(version, made))
        }
      }
      .flatten
  }

  /** The version that a version was made from. */
  private def before(version: Long, made: Option[Transaction]): Long = made.map(_.operation) match {
    case Some(Operation.Restore(old)) if old < version => old
    case _ => version - 1
  }
}
