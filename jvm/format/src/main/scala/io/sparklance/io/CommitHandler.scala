package io.sparklance.io

import scala.annotation.unused

/** Puts the manifest of a new version under its name so that exactly one of several writers succeeds. All
  * writers of a table must use the same handler.
  *
  * Users may provide an implementation (option `commitHandler`). It has a public constructor that takes
  * Hadoop's `Configuration`, or nothing.
  */
trait CommitHandler {

  /** Puts a manifest. Returns false if the version existed already. Neither false nor a failure proves that
    * this manifest was not put, because a request may take effect although its answer is lost. If it may take
    * effect later, the failure is a [[LatePutException]], and the files that the manifest refers to stay.
    *
    * @param path
    *   the manifest's final path
    */
  def commit(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean

  /** Whether a failure of [[commit]] proves that its manifest was not put, and never will be. */
  private[sparklance] def isRefusal(@unused failure: Throwable): Boolean = false

  /** Puts a manifest after a lost commit race. */
  def race(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean =
    commit(store, path, version, manifest)

  /** Removes a version that [[commit]] just made and no other writer built on, because its table turned out
    * to be another one.
    */
  def retract(store: ObjectStore, path: String, @unused version: Long): Unit = store.delete(path)

  /** Called before the versions in a directory are listed. Finishes commits that a writer left incomplete, or
    * fails.
    */
  def settle(store: ObjectStore, directory: String): Unit
}

/** Commits in stores with an atomic put-if-absent: the manifest goes straight to its final name. */
private[sparklance] object ConditionalPut extends CommitHandler {
  def commit(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean =
    store.putIfAbsent(path, manifest)
  override def race(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean =
    store.claim(path, manifest)
  def settle(store: ObjectStore, directory: String): Unit = ()
}
