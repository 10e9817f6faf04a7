package io.sparklance.io

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

/** Requests to stores that exist only as numbers, and whose clock is one, too. */
class DepthSuite extends AnyFunSuite {
  import DepthSuite._

  private val profile = ReadProfile.remote("simulated")

  /** Runs reads of 1 MiB without end. Returns the limits at the ends of reads. */
  private def run(store: Store, reads: Int, profile: ReadProfile = profile): Vector[Int] = {
    var now = 0L
    val depth = new Depth(() => now)
    val running = mutable.PriorityQueue.empty[Long](Ordering[Long].reverse)
    val limits = Vector.newBuilder[Int]
    for (_ <- 0 until reads) {
      while (running.size < depth.limit(profile)) {
        if (store.throttles(running.size + 1, now)) depth.slowedDown()
        running.enqueue(now + store.nanos(running.size + 1, now))
      }
      depth.readWaits(profile)
      now = running.dequeue()
      depth.readEnded(1 << 20)
      limits += depth.limit(profile)
    }
    limits.result()
  }

  private def mean(limits: Seq[Int]): Double = limits.sum.toDouble / limits.size

  test("a store that answers late, and any number of requests, gets as many as it may") {
    assert(run(Latency(20), 4000).last == profile.maxRequests)
    assert(run(Latency(20), 4000, profile.copy(maxRequests = 30)).max == 30)
  }

  test("a store that answers late gets many requests after some hundred reads") {
    assert(run(Latency(20), 500).last == profile.maxRequests)
  }

  test("a store whose throughput is used up gets hardly more requests than use it up") {
    for (wide <- Seq(10, 20, 40)) {
      val limits = run(Shared(20, wide), 20000).drop(10000)
      assert(
        mean(limits) >= 0.7 * math.min(wide, 15) && mean(limits) <= 1.5 * wide + 8,
        s"$wide: ${mean(limits)}"
      )
    }
  }

  test("a store that throttles gets about as many requests as it takes, and tries more from time to time") {
    val store = Throttling(20, 10)
    val limits = run(store, 20000).drop(1000)
    assert(mean(limits) < 12 && mean(limits) > 5, mean(limits))
    assert(limits.exists(_ > 10) && limits.min >= profile.minRequests)
  }

  test("requests that fail take a part of the others away, but once, and no more than the lower bound") {
    var now = 0L
    val depth = new Depth(() => now)
    assert(depth.limit(profile) == 15)
    depth.slowedDown()
    depth.slowedDown()
    assert(depth.limit(profile) == 10)
    for (_ <- 0 until 20) {
      now += 1000000000
      depth.slowedDown()
    }
    assert(depth.limit(profile) == profile.minRequests)
    assert(depth.limit(profile.copy(minRequests = 7)) == 7)
  }

  test("a store that gives much less gets fewer requests, and more again when it is as before") {
    val store = Spell(Latency(20), Shared(20, 8), from = 1000 * Millis, to = 10000 * Millis)
    val limits = run(store, 20000, profile.copy(maxRequests = 64))
    assert(limits.take(2000).last > 55 && limits.slice(2500, 5000).min < 50 && limits.last > 55)
  }

  test("bounds that are equal fix the number") {
    val fixed = profile.copy(minRequests = 9, maxRequests = 9)
    assert(run(Throttling(20, 4), 2000, fixed).forall(_ == 9))
    assert(run(Latency(20), 2000, fixed).forall(_ == 9))
  }

  test("while no read waits for its turn the number stays as it is") {
    var now = 0L
    val depth = new Depth(() => now)
    for (_ <- 0 until 1000) {
      depth.readWaits(profile)
      depth.noneWaits()
      now += Millis
      depth.readEnded(1 << 20)
    }
    assert(depth.limit(profile) == 15)
  }
}

private object DepthSuite {
  final private val Millis = 1000000L

  sealed private trait Store {

    /** Time that one more request takes, with all that are under way. */
    def nanos(underWay: Int, now: Long): Long
    def throttles(underWay: Int, now: Long): Boolean = false
  }

  final private case class Latency(millis: Long) extends Store {
    def nanos(underWay: Int, now: Long): Long = millis * Millis
  }

  /** Up to `wide` requests do not slow each other down; more share what these get. */
  final private case class Shared(millis: Long, wide: Int) extends Store {
    def nanos(underWay: Int, now: Long): Long = millis * Millis * math.max(wide, underWay) / wide
  }

  /** Answers more than `most` requests, after some attempts, late. */
  final private case class Throttling(millis: Long, most: Int) extends Store {
    def nanos(underWay: Int, now: Long): Long = millis * Millis * (if (underWay > most) 5 else 1)
    override def throttles(underWay: Int, now: Long): Boolean = underWay > most
  }

  /** Is another one for a while. */
  final private case class Spell(store: Store, other: Store, from: Long, to: Long) extends Store {
    def nanos(underWay: Int, now: Long): Long =
      (if (now >= from && now < to) other else store).nanos(underWay, now)
  }
}
