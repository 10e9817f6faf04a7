package io.sparklance.io

import java.io.IOException

/** A task's reads of one fragment. Only the task's thread reads ahead; any thread may [[read]]. */
final private[sparklance] class IoClient private[io] (lane: Lane, task: IoTask, private[io] val fragment: Int)
    extends AutoCloseable {
  // Guarded by the lane.
  private[io] var isClosed = false

  private var held = 0L
  private var requestCount = 0L
  private var requestBytes = 0L
  private var waitedNanos = 0L
  // Whether the task has counted the reads.
  private var isCounted = false

  def profile: ReadProfile = task.profile

  /** Pool of arrays to read into. */
  def buffers: Buffers = task.buffers

  /** Whether bytes are requested before they are needed. */
  def isAhead: Boolean = task.isAhead

  /** Bytes that the task may have requested and not decoded yet; less if more tasks read from the store. */
  def share: Long = task.share

  /** Remaining budget of the task's read-ahead, in bytes. */
  def room: Long = task.room

  /** Charges bytes to the read-ahead budget, or frees them if negative. */
  def hold(bytes: Long): Unit = {
    held += bytes
    task.hold(bytes)
  }

  /** Queues reads. The caller awaits all of them. */
  def begin(reads: Vector[Read]): Unit = {
    requestCount += reads.size
    reads.foreach(requestBytes += _.range.length)
    add(reads)
    if (isAhead) lane.enqueue(task)
  }

  /** Waits for a read. Throws its failure. */
  def await(read: Read): Unit = if (read.isDone) read.await()
  else {
    val start = lane.now
    finish(read)
    waitedNanos += lane.now - start
  }

  /** Reads metadata, which no count includes. */
  def read(read: Read): Unit = {
    add(Vector(read))
    finish(read)
  }

  /** Requests so far. */
  def stats: IoStats = IoStats(requestCount, requestBytes, waitedNanos)

  /** Cancels reads that have not started, and frees the memory. Only the task's thread calls this. */
  def close(): Unit = {
    lane.close(this, task)
    if (!isCounted) task.count(stats)
    isCounted = true
    if (held > 0) hold(-held)
  }

  private def add(reads: Vector[Read]): Unit = {
    reads.foreach(_.owner = this)
    lane.add(this, task, reads)
  }

  private def finish(read: Read): Unit = {
    lane.runHere(task, read)
    // Otherwise it is running, or has to wait its turn.
    if (!read.isDone) lane.enqueue(task)
    read.await()
  }
}

private object IoClient {
  def closed: IOException = new IOException("the scan was closed")
}
