package io.sparklance.testkit

import io.sparklance.io.{FileEntry, ObjectStore, ReadableFile}

/** A store whose calls are counted, from 0 on, and may be preceded, followed or replaced by something else.
  */
abstract class SteppedStore(inner: ObjectStore) extends DelegatingStore(inner) {
  private var calls = 0

  /** Number of calls. */
  def steps: Int = calls

  /** @param call what is to be done, with its effect */
  protected def step[A](number: Int)(call: => A): A

  private def next[A](call: => A): A = {
    val number = calls
    calls += 1
    step(number)(call)
  }

  override def open(path: String, knownSize: Option[Long]): ReadableFile = next(super.open(path, knownSize))
  override def put(path: String, bytes: Array[Byte]): Unit = next(super.put(path, bytes))
  override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = next(super.putIfAbsent(path, bytes))
  override def list(directory: String): Vector[FileEntry] = next(super.list(directory))
  override def delete(path: String): Unit = next(super.delete(path))
}
