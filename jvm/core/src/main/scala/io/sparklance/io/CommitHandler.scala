package io.sparklance.io

import scala.annotation.unused

/** How the manifest of a new version gets its name, so that of several writers exactly one succeeds. All writers of a table
  * must go about it in the same way.
  *
  * An implementation may be the user's own (option `commitHandler`). Then it has a public constructor that takes Hadoop's
  * `Configuration`, or nothing.
  */
trait CommitHandler {

  /** False if the version was there already. Neither that nor a failure says for sure that the manifest is not there, since
    * a request may take effect though its answer is lost. If that may even happen later, the failure is a
    * [[LatePutException]]; then files to which the manifest refers stay.
    *
    * @param path where readers look for it
    */
  def commit(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean

  /** The same after others were quicker. */
  def race(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean =
    commit(store, path, version, manifest)

  /** Takes back a version that [[commit]] has just made and nobody has built upon, as its table turned out to be another one. */
  def retract(store: ObjectStore, path: String, @unused version: Long): Unit = store.delete(path)

  /** Comes before anybody looks for the versions in a directory: finishes what a writer has begun and left, so that they are
    * all there, or fails.
    */
  def settle(store: ObjectStore, directory: String): Unit
}

/** For stores that can write a whole file unless there is one: the manifest goes straight to its final name. */
object ConditionalPut extends CommitHandler {
  def commit(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean =
    store.putIfAbsent(path, manifest)
  override def race(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean =
    store.claim(path, manifest)
  def settle(store: ObjectStore, directory: String): Unit = ()
}
