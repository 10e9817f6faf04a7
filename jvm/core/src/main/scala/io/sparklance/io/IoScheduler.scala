package io.sparklance.io

import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{ConcurrentHashMap, SynchronousQueue, ThreadPoolExecutor, TimeUnit}

import scala.concurrent.duration._

/** Carries out the reads of all tasks of a JVM, so that no store has more requests to answer at a time than suits it:
  * {{{
  * task → its reads, lowest row first ┐
  * task → …                           ├ lane of a store: the tasks take turns → so many requests at a time
  * task → …                           ┘
  * }}}
  * Reads run on threads that end when there is nothing to do, or on that of the task which waits for them.
  */
final class IoScheduler(idle: FiniteDuration) {

  /** What the names of its threads begin with. */
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

  /** The reads of a task from a store that is best read as `profile` says. */
  def client(profile: ReadProfile): IoClient =
    new IoClient(lanes.computeIfAbsent(profile.lane, _ => new Lane(threads)), profile)

  /** How many requests are under way to the stores of a lane. */
  def requests(lane: String): Int = Option(lanes.get(lane)).fold(0)(_.requests)
}

object IoScheduler {
  private val count = new AtomicLong

  /** That of this JVM. */
  val shared: IoScheduler = new IoScheduler(10.seconds)
}
