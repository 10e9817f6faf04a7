package io.sparklance.io

import scala.util.Using

/** Lets one writer at a time commit to a table. A user's own may be given as option `commitHandler`, where a store has no
  * way to write a file unless there is one; it has a public constructor like a [[CommitHandler]]'s.
  */
trait CommitLock {

  /** Waits until the lock for this version is ours, or fails. Closing what is answered gives it back. A lock that can be
    * lost while it is held must not be given to another before the holder's writing has come to an end.
    *
    * @param path of the version's manifest
    */
  def acquire(path: String, version: Long): AutoCloseable
}

/** Looks whether the version is there, and writes it, while nobody else may. */
final class LockedCommits(lock: CommitLock) extends CommitHandler {
  def commit(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean =
    Using.resource(lock.acquire(path, version))(_ => UnguardedCommits.commit(store, path, version, manifest))
  def settle(store: ObjectStore, directory: String): Unit = ()
}

/** Looks whether the version is there, and writes it. Of two that do so at the same time, the second replaces the commit of
  * the first: this is for tables with one writer, whose user has said so.
  */
object UnguardedCommits extends CommitHandler {
  def commit(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean = {
    val isFree = !store.exists(path)
    if (isFree) store.put(path, manifest)
    isFree
  }
  def settle(store: ObjectStore, directory: String): Unit = ()
}
