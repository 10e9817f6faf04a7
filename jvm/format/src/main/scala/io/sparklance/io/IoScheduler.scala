package io.sparklance.io

import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{ConcurrentHashMap, SynchronousQueue, ThreadPoolExecutor, TimeUnit}

import scala.concurrent.duration._

/** Runs the reads of all tasks of a JVM within each store's limit of concurrent requests:
  * {{{
  * task → its reads, lowest row first ┐
  * task → …                           ├ lane of a store: the tasks take turns → as many at a time as its Depth says
  * task → …                           ┘
  * }}}
  * Reads run on threads that end when idle, or on the thread of the task that waits for them.
  */
final private[sparklance] class IoScheduler(
    idle: FiniteDuration,
    clock: () => Long = () => System.nanoTime()
) {

  /** Prefix of the names of its threads. */
  val threadName: String = s"sparklance-io-${IoScheduler.count.incrementAndGet()}"
  private val created = new AtomicLong
  private val threads = new ThreadPoolExecutor(
    0,
    Int.MaxValue,
    idle.toMillis,
    TimeUnit.MILLISECONDS,
    new SynchronousQueue[Runnable],
    (work: Runnable) => {
      val thread = new Thread(work, s"$threadName-${created.incrementAndGet()}")
      thread.setDaemon(true)
      thread
    }
  )
  private val lanes = new ConcurrentHashMap[String, Lane]

  /** Begins a task that reads from a store with this profile. */
  def task(profile: ReadProfile): IoTask = {
    val lane = lanes.computeIfAbsent(profile.lane, _ => new Lane(threads, clock))
    val ahead = if (profile.mayReadAhead > 0 && lane.readsAhead()) profile.mayReadAhead else profile.readAhead
    new IoTask(lane, threads, profile.copy(readAhead = ahead))
  }

  /** Returns a client for a task that reads one fragment or file. */
  def client(profile: ReadProfile): IoClient = task(profile).client(0)

  /** Number of running requests to the stores of a lane. */
  def requests(lane: String): Int = Option(lanes.get(lane)).fold(0)(_.requests)

  /** Number of requests to a store that may run at present. */
  def limit(profile: ReadProfile): Int =
    Option(lanes.get(profile.lane)).fold(profile.firstRequests)(_.limit(profile))

  /** Called when the store of a lane throttles, or a request to it fails and is repeated. */
  def slowedDown(lane: String): Unit = Option(lanes.get(lane)).foreach(_.slowedDown())
}

private[sparklance] object IoScheduler {
  private val count = new AtomicLong

  /** The scheduler of this JVM. */
  val shared: IoScheduler = new IoScheduler(10.seconds)
}
