package io.sparklance.io

import java.io.IOException
import java.util.{Comparator, PriorityQueue}

/** The reads of one task. Only the task's thread calls this. */
final private[sparklance] class IoClient private[io] (lane: Lane, val profile: ReadProfile)
    extends AutoCloseable {
  // Guarded by the lane, both.
  private[io] val waiting =
    new PriorityQueue[Read](Comparator.comparingLong[Read](_.row).thenComparingLong(_.range.offset))
  private[io] var isClosed = false

  private var held = 0L
  private var requestCount = 0L
  private var requestBytes = 0L
  private var waitedNanos = 0L

  /** Pool of arrays to read into. */
  val buffers: Buffers = new Buffers

  /** Remaining budget of read-ahead, in bytes. */
  def room: Long = profile.readAhead - held

  /** Charges bytes to the read-ahead budget, or frees them if negative. */
  def hold(bytes: Long): Unit = held += bytes

  /** Queues reads. The caller awaits all of them. */
  def begin(reads: Vector[Read]): Unit = {
    requestCount += reads.size
    reads.foreach(requestBytes += _.range.length)
    lane.add(this, reads)
    if (profile.readAhead > 0) lane.enqueue(this)
  }

  /** Waits for a read. Throws its failure. */
  def await(read: Read): Unit = if (read.isDone) read.await()
  else {
    val start = System.nanoTime()
    lane.runHere(this, read)
    // Otherwise it is running, or has to wait its turn.
    if (!read.isDone) lane.enqueue(this)
    read.await()
    waitedNanos += System.nanoTime() - start
  }

  /** Requests so far. */
  def stats: IoStats = IoStats(requestCount, requestBytes, waitedNanos)

  /** Cancels reads that have not started, and frees the memory. */
  def close(): Unit = lane.close(this)
}

private object IoClient {
  def closed: IOException = new IOException("the scan was closed")
}

/** @param waitNanos time during which the task waited for bytes */
final private[sparklance] case class IoStats(requests: Long, bytes: Long, waitNanos: Long) {
  def +(other: IoStats): IoStats =
    IoStats(requests + other.requests, bytes + other.bytes, waitNanos + other.waitNanos)
}

private[sparklance] object IoStats {
  val none: IoStats = IoStats(0, 0, 0)
}
