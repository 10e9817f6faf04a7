package io.sparklance.io

import java.util.ArrayDeque
import java.util.concurrent.Executor

/** Queue of the requests to one store. */
final private class Lane(threads: Executor) {
  // Clients with reads to start, in the order of their turns.
  private val turns = new ArrayDeque[IoClient]
  private var underWay = 0

  def requests: Int = synchronized(underWay)

  /** Adds waiting reads without starting them. */
  def add(client: IoClient, reads: Seq[Read]): Unit = synchronized {
    if (client.isClosed) reads.foreach(_.finish(Some(IoClient.closed))) else reads.foreach(client.waiting.add)
  }

  /** Lets the reads of a client start when it is its turn. */
  def enqueue(client: IoClient): Unit = {
    synchronized(if (!client.waiting.isEmpty && !turns.contains(client)) turns.addLast(client))
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
  def runHere(client: IoClient, read: Read): Unit = if (take(client, read))
    try read.run()
    finally {
      end()
      dispatch()
    }

  /** Cancels the waiting reads of a client. */
  def close(client: IoClient): Unit = synchronized {
    client.isClosed = true
    turns.remove(client)
    client.waiting.forEach(_.finish(Some(IoClient.closed)))
    client.waiting.clear()
  }

  private def start(read: Read): Unit =
    try threads.execute(() => work(read))
    catch {
      // No more threads are available.
      case e: Throwable =>
        end()
        read.finish(Some(e))
    }

  private def work(first: Read): Unit = {
    var next = Option(first)
    while (next.isDefined) {
      next.foreach(_.run())
      next = synchronized {
        underWay -= 1
        begin()
      }
    }
  }

  /** Takes the next read in turn, if the limit allows one; it counts from now on. */
  private def begin(): Option[Read] = synchronized {
    val inTurn = turns.iterator
    var found = Option.empty[Read]
    while (found.isEmpty && inTurn.hasNext) {
      val client = inTurn.next()
      if (underWay < client.profile.maxRequests) {
        inTurn.remove()
        found = Some(client.waiting.poll())
        if (!client.waiting.isEmpty) turns.addLast(client)
        underWay += 1
      }
    }
    found
  }

  private def take(client: IoClient, read: Read): Boolean = synchronized {
    val mine = underWay < client.profile.maxRequests && client.waiting.remove(read)
    if (mine) {
      underWay += 1
      if (client.waiting.isEmpty) turns.remove(client)
    }
    mine
  }

  private def end(): Unit = synchronized(underWay -= 1)
}
