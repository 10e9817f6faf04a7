package io.sparklance.io

import scala.util.Using

/** Lets one writer at a time commit to a table, in stores without put-if-absent. Users provide an
  * implementation (option `commitHandler`) with a public constructor like a [[CommitHandler]]'s.
  */
trait CommitLock {

  /** Waits until this writer holds the lock of the version, or fails. Closing the result releases it. A lock
    * that can expire must not pass to another writer before the holder's write has ended.
    *
    * @param path
    *   path of the version's manifest
    */
  def acquire(path: String, version: Long): AutoCloseable
}

/** Checks that the version does not exist, and writes it, while holding a lock. */
final private[sparklance] class LockedCommits(lock: CommitLock) extends CommitHandler {
  def commit(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean =
    Using.resource(lock.acquire(path, version))(_ => UnguardedCommits.commit(store, path, version, manifest))
  def settle(store: ObjectStore, directory: String): Unit = ()
}

/** Checks that the version does not exist, and writes it, without a lock. Of two writers at the same time,
  * the second replaces the commit of the first. Only for tables that the user declared to have one writer.
  */
private[sparklance] object UnguardedCommits extends CommitHandler {
  def commit(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean = {
    val isFree = !store.exists(path)
    if (isFree) store.put(path, manifest)
    isFree
  }
  def settle(store: ObjectStore, directory: String): Unit = ()
}
