package io.sparklance.io

import java.util.ArrayDeque
import java.util.concurrent.Executor

/** Queue of the requests to one store, and the bytes that its tasks hold.
  *
  * @param clock
  *   in nanoseconds
  */
final private class Lane(threads: Executor, clock: () => Long) {
  private val depth = new Depth(clock)
  private val ahead = new AheadChoice
  // Tasks with reads to start, in the order of their turns.
  private val turns = new ArrayDeque[IoTask]
  private var underWay = 0
  // Bytes requested and not decoded yet, and the tasks that hold some.
  private var held = 0L
  private var holders = 0

  def requests: Int = synchronized(underWay)

  /** Number of requests that may be under way. */
  def limit(profile: ReadProfile): Int = synchronized(depth.limit(profile))

  /** Whether the next task reads ahead, of those that may. */
  def readsAhead(): Boolean = synchronized(ahead.next())

  /** Learns from a task that has ended. */
  def taskEnded(wasAhead: Boolean, bytes: Long, waitedNanos: Long): Unit =
    synchronized(ahead.ended(wasAhead, bytes, waitedNanos))

  def now: Long = clock()

  /** Lowers that number, because the store throttles or requests fail. */
  def slowedDown(): Unit = synchronized(depth.slowedDown())

  /** Counts bytes of a task, which are fewer if negative, and tasks that begin or cease to hold some. */
  def hold(bytes: Long, tasks: Int): Unit = synchronized {
    held += bytes
    holders += tasks
  }

  /** Returns the bytes of `budget`, which all tasks have, that no task holds. */
  def room(budget: Long): Long = synchronized(budget - held)

  /** Returns the bytes of `budget`, which all tasks have, that each may hold. */
  def share(budget: Long): Long = synchronized(math.min(budget / math.max(1, holders), Lane.MostOfTask))

  /** Adds waiting reads without starting them. */
  def add(client: IoClient, task: IoTask, reads: Seq[Read]): Unit = synchronized {
    if (client.isClosed || task.isClosed) reads.foreach(_.finish(Some(IoClient.closed)))
    else reads.foreach(task.waiting.add)
  }

  /** Lets the reads of a task start when it is its turn. */
  def enqueue(task: IoTask): Unit = {
    synchronized(if (!task.waiting.isEmpty && !turns.contains(task)) turns.addLast(task))
    dispatch()
  }

  /** Starts reads up to the limit. */
  private def dispatch(): Unit = {
    var next = begin()
    while (next.isDefined) {
      next.foreach(start)
      next = begin()
    }
  }

  /** Runs a read on this thread, if it is still waiting and the limit allows it. */
  def runHere(task: IoTask, read: Read): Unit = if (take(task, read))
    try read.run()
    finally {
      end(read)
      dispatch()
    }

  /** Cancels the waiting reads of a task. */
  def close(task: IoTask): Unit = synchronized {
    task.isClosed = true
    turns.remove(task)
    task.waiting.forEach(_.finish(Some(IoClient.closed)))
    task.waiting.clear()
  }

  /** Cancels the waiting reads of a client. */
  def close(client: IoClient, task: IoTask): Unit = synchronized {
    client.isClosed = true
    val _ = task.waiting.removeIf { read =>
      val isOwn = read.owner eq client
      if (isOwn) read.finish(Some(IoClient.closed))
      isOwn
    }
    if (task.waiting.isEmpty) { val _ = turns.remove(task) }
  }

  private def start(read: Read): Unit =
    try threads.execute(() => work(read))
    catch {
      // No more threads are available.
      case e: Throwable =>
        end(read)
        read.finish(Some(e))
    }

  private def work(first: Read): Unit = {
    var next = Option(first)
    while (next.isDefined) {
      next.foreach { read =>
        read.run()
        end(read)
      }
      next = begin()
      // The limit may have risen.
      if (next.isDefined) dispatch()
    }
  }

  /** Takes the next read in turn, if the limit allows one; it counts from now on. */
  private def begin(): Option[Read] = synchronized {
    val inTurn = turns.iterator
    if (!inTurn.hasNext) depth.noneWaits()
    var found = Option.empty[Read]
    while (found.isEmpty && inTurn.hasNext) {
      val task = inTurn.next()
      if (underWay >= depth.limit(task.profile)) depth.readWaits(task.profile)
      else {
        inTurn.remove()
        found = Some(task.waiting.poll())
        if (!task.waiting.isEmpty) turns.addLast(task)
        underWay += 1
      }
    }
    found
  }

  private def take(task: IoTask, read: Read): Boolean = synchronized {
    val mine = underWay < depth.limit(task.profile) && task.waiting.remove(read)
    if (mine) {
      underWay += 1
      if (task.waiting.isEmpty) turns.remove(task)
    }
    mine
  }

  private def end(read: Read): Unit = synchronized {
    underWay -= 1
    depth.readEnded(read.range.length)
  }
}

private object Lane {

  /** More bytes would not make a task faster. */
  final private val MostOfTask = 64L << 20
}
