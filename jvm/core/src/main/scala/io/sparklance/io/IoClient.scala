package io.sparklance.io

import java.io.IOException
import java.util.{Comparator, PriorityQueue}

/** The reads of one task, whose thread alone calls this. */
final class IoClient private[io] (lane: Lane, val profile: ReadProfile) extends AutoCloseable {
  // Both guarded by the lane.
  private[io] val waiting =
    new PriorityQueue[Read](Comparator.comparingLong[Read](_.row).thenComparingLong(_.range.offset))
  private[io] var isClosed = false

  private var held = 0L
  private var requestCount = 0L
  private var requestBytes = 0L
  private var waitedNanos = 0L

  /** Arrays to read into. */
  val buffers: Buffers = new Buffers

  /** Bytes that may still be asked for ahead of what is needed. */
  def room: Long = profile.readAhead - held

  /** Says that the task has asked for so many bytes more, or that so many fewer are held for it. */
  def hold(bytes: Long): Unit = held += bytes

  /** Asks for reads, all of which are to be awaited some time. */
  def begin(reads: Vector[Read]): Unit = {
    requestCount += reads.size
    reads.foreach(requestBytes += _.range.length)
    lane.add(this, reads)
    if (profile.readAhead > 0) lane.enqueue(this)
  }

  /** Waits for a read, and fails if it did. */
  def await(read: Read): Unit = if (read.isDone) read.await()
  else {
    val start = System.nanoTime()
    lane.runHere(this, read)
    // Else it is under way, or must wait its turn.
    if (!read.isDone) lane.enqueue(this)
    read.await()
    waitedNanos += System.nanoTime() - start
  }

  /** What was asked for so far. */
  def stats: IoStats = IoStats(requestCount, requestBytes, waitedNanos)

  /** Gives up what is not under way, and lets go of the memory. */
  def close(): Unit = lane.close(this)
}

private object IoClient {
  def closed: IOException = new IOException("the scan was closed")
}

/** @param waitNanos time during which the task waited for bytes */
final case class IoStats(requests: Long, bytes: Long, waitNanos: Long) {
  def +(other: IoStats): IoStats =
    IoStats(requests + other.requests, bytes + other.bytes, waitNanos + other.waitNanos)
}

object IoStats {
  val none: IoStats = IoStats(0, 0, 0)
}
