package io.sparklance.io

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CompletableFuture, ExecutionException, Executor}
import java.util.{Comparator, PriorityQueue}

import scala.util.Try

/** The reads of one task, which reads one or more fragments: those of the first fragment go first, and of a
  * fragment those of the lowest row.
  */
final private[sparklance] class IoTask private[io] (lane: Lane, threads: Executor, val profile: ReadProfile)
    extends AutoCloseable {
  // Guarded by the lane, both.
  private[io] var isClosed = false
  private[io] val waiting = new PriorityQueue[Read](
    Comparator.comparingInt[Read](_.owner.fragment).thenComparingLong(_.row).thenComparingLong(_.range.offset)
  )

  // Only the task's thread uses these.
  private var held = 0L
  private var readBytes = 0L
  private var waitedNanos = 0L
  private[io] val buffers = new Buffers

  /** Whether bytes are requested before they are needed. */
  def isAhead: Boolean = profile.readAhead > 0

  /** @param fragment its number among those that the task reads */
  def client(fragment: Int): IoClient = new IoClient(lane, this, fragment)

  /** Runs `body` on another thread, if the store is read ahead. */
  def fork[A](body: => A): CompletableFuture[A] =
    if (isAhead) CompletableFuture.supplyAsync(() => body, threads)
    else CompletableFuture.completedFuture(body)

  /** Runs `action` for all items: many side by side, if the store is read ahead. */
  def map[A, B](items: Vector[A])(action: A => B): Vector[Try[B]] =
    if (!isAhead || items.size < 2) items.map(item => Try(action(item)))
    else {
      val results = new Array[Try[B]](items.size)
      val next = new AtomicInteger
      def work(): Unit = Iterator.continually(next.getAndIncrement()).takeWhile(_ < items.size).foreach { i =>
        results(i) = Try(action(items(i)))
      }
      val others = Vector.fill(math.min(items.size, IoTask.MostForks) - 1)(fork(work()))
      work()
      others.foreach(IoTask.result(_))
      results.toVector
    }

  /** Bytes that the task may hold at present. */
  def share: Long = lane.share(profile.readAhead)

  /** Remaining bytes of the share. */
  def room: Long = math.min(share - held, lane.room(profile.readAhead))

  /** Cancels reads that have not started, those that are to come as well. */
  def close(): Unit = {
    lane.close(this)
    if (profile.mayReadAhead > 0) lane.taskEnded(isAhead, readBytes, waitedNanos)
    readBytes = 0
    waitedNanos = 0
  }

  /** Counts the reads of a client. */
  private[io] def count(stats: IoStats): Unit = {
    readBytes += stats.bytes
    waitedNanos += stats.waitNanos
  }

  private[io] def hold(bytes: Long): Unit = {
    lane.hold(bytes, if (held == 0 && bytes > 0) 1 else if (held > 0 && held + bytes == 0) -1 else 0)
    held += bytes
  }
}

private[sparklance] object IoTask {

  /** Threads that one call of [[IoTask.map]] uses at most. */
  final private[io] val MostForks = 64

  /** Waits for the result of [[IoTask.fork]]. Throws its failure. */
  def result[A](forked: CompletableFuture[A]): A =
    try forked.get()
    catch { case e: ExecutionException => throw e.getCause }
}
