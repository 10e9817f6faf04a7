package io.sparklance.table.commit

import io.sparklance.io.ObjectStore
import io.sparklance.table.Versions
import io.sparklance.table.transaction.BatchId

/** The batches that a table's retained versions tell of. Those of versions that were cleaned up are forgotten. */
final class CommittedBatches(store: ObjectStore, root: String) {
  private val versions = new Versions(store, root)
  private val transactions = new TransactionFiles(store, root)

  /** The version with which a batch was committed, or a later one of the same application, at `last` or before. The newest
    * transaction of the application decides, so this mostly ends soon.
    */
  def version(batch: BatchId, last: Long): Option[Long] = versions
    .list()
    .reverseIterator
    .filter(_.version <= last)
    .flatMap { file =>
      val properties = transactions.of(versions.origin(file)).fold(Map.empty[String, String])(_.properties)
      BatchId.of(properties).filter(_.application == batch.application).map(file.version -> _)
    }
    .nextOption()
    .collect { case (version, committed) if batch.isIn(committed) => version }
}
