package io.sparklance.io

import io.sparklance.data.ByteRange

/** One request to a store.
  *
  * @param row
  *   the table row for which the bytes are needed; a task's lowest row is read first
  */
final private[sparklance] class Read(
    file: ReadableFile,
    val range: ByteRange,
    val row: Long,
    target: Array[Byte],
    at: Int
) {

  /** The client that queued it. */
  private[io] var owner: IoClient = _

  // Empty until the read ends; then its failure, if any.
  private var outcome = Option.empty[Option[Throwable]]

  def isDone: Boolean = synchronized(outcome.isDefined)

  /** Waits for the end. Throws the read's failure. */
  def await(): Unit = synchronized {
    while (outcome.isEmpty) wait()
    outcome.flatten.foreach(throw _)
  }

  // Failures are thrown on the waiting thread.
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
