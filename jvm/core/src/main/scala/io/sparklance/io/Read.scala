package io.sparklance.io

import io.sparklance.data.ByteRange

/** One request to a store.
  *
  * @param row where in the table's order the bytes are needed: of a task's reads, the least goes first
  */
final class Read(file: ReadableFile, val range: ByteRange, val row: Long, target: Array[Byte], at: Int) {
  // Empty while it waits or is under way; then whether it failed.
  private var outcome = Option.empty[Option[Throwable]]

  def isDone: Boolean = synchronized(outcome.isDefined)

  /** Waits for the end, and fails if the read did. */
  def await(): Unit = synchronized {
    while (outcome.isEmpty) wait()
    outcome.flatten.foreach(throw _)
  }

  // Whatever goes wrong here belongs to the thread that waits.
  private[io] def run(): Unit =
    try {
      file.read(range, target, at)
      finish(None)
    } catch { case e: Throwable => finish(Some(e)) }

  private[io] def finish(failure: Option[Throwable]): Unit = synchronized {
    if (outcome.isEmpty) outcome = Some(failure)
    notifyAll()
  }
}
