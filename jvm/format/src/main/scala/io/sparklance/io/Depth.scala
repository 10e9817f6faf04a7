package io.sparklance.io

/** The number of concurrent requests to a store, which follows what the store gives. For one thread at a
  * time.
  *
  * It counts rounds: as many reads as may run at a time, while others wait for their turn. If a few more
  * requests bring more bytes in the same time, it adds some more (additive increase; at first it doubles
  * them); otherwise it goes back, and tries again later. If the store throttles, requests fail, or rounds
  * bring much less than before, it takes a part away (multiplicative decrease).
  *
  * @param clock
  *   in nanoseconds
  */
final private class Depth(clock: () => Long) {
  import Depth._

  private var current = ReadProfile.FirstRequests
  // Until an increase brings nothing, or something slows down.
  private var isDoubling = true
  // The round that is counted, if reads wait for their turn.
  private var round = Option.empty[Round]
  // The number before the last increase, which the next round judges, and the rate with it.
  private var before = Option.empty[(Int, Double)]
  // Work per nanosecond with the present number of requests, smoothed.
  private var usual = Option.empty[Double]
  private var slowRounds = 0
  // Rounds until the next increase.
  private var pause = 0
  private var longestPause = FirstPause
  private var decreasedAt = clock() - Calm
  private var lastRoundNanos = 0L

  /** Returns how many requests a task may have under way in all. */
  def limit(profile: ReadProfile): Int = profile.bounded(current)

  /** Called when a read has to wait for its turn. */
  def readWaits(profile: ReadProfile): Unit = if (round.isEmpty) {
    current = limit(profile)
    round = Some(new Round(clock(), profile))
  }

  /** Called when no read waits for its turn: what follows does not say what the store could give. */
  def noneWaits(): Unit = round = None

  /** Called when a read has ended. */
  def readEnded(bytes: Long): Unit = round.foreach { counted =>
    counted.reads += 1
    counted.work += bytes + counted.profile.maxGap + 1
    if (counted.reads >= current) {
      val now = clock()
      round = Some(new Round(now, counted.profile))
      lastRoundNanos = math.max(1, now - counted.start)
      judge(counted.work / lastRoundNanos, counted.profile)
    }
  }

  /** Called when the store throttles, or a request fails and is repeated. Requests of the time before a
    * decrease do not cause another one.
    */
  def slowedDown(): Unit = {
    val now = clock()
    if (now - decreasedAt >= math.max(Calm, lastRoundNanos)) {
      decreasedAt = now
      decrease()
    }
  }

  private def judge(rate: Double, profile: ReadProfile): Unit = before match {
    case Some((fewer, its)) =>
      before = None
      usual = Some(rate)
      if (rate >= its * (1 + Worth * (current.toDouble / fewer - 1))) {
        longestPause = FirstPause
        increase(rate, profile)
      } else {
        current = fewer
        isDoubling = false
        usual = Some(math.max(rate, its))
        pause = longestPause
        longestPause = math.min(2 * longestPause, LongestPause)
      }
    case None =>
      slowRounds = if (usual.exists(rate < Slow * _)) slowRounds + 1 else 0
      if (slowRounds >= SlowRounds) decrease()
      else {
        if (slowRounds == 0) usual = Some(usual.fold(rate)(u => u + (rate - u) * Weight))
        if (pause > 0) pause -= 1 else if (slowRounds == 0) increase(rate, profile)
      }
  }

  private def increase(rate: Double, profile: ReadProfile): Unit = {
    val more = profile.bounded(current + (if (isDoubling) current else Step))
    if (more > current) {
      before = Some((current, rate))
      current = more
    }
  }

  private def decrease(): Unit = {
    isDoubling = false
    current = math.max(1, (current * Kept).toInt)
    before = None
    usual = None
    slowRounds = 0
    pause = FirstPause
    round = None
  }
}

private object Depth {

  final private val Step = 4

  /** Part of the requests that a decrease leaves. */
  final private val Kept = 0.7

  /** An increase is worth it if the rate grows by this part of it. */
  final private val Worth = 0.3

  /** Rounds with less than this part of the usual rate are slow. */
  final private val Slow = 0.5
  final private val SlowRounds = 2

  /** Weight of a round in the usual rate. */
  final private val Weight = 0.3

  final private val FirstPause = 8
  final private val LongestPause = 64

  /** Nanoseconds after a decrease without another one. */
  final private val Calm = 100L * 1000 * 1000

  /** Reads that ended while others waited for their turn.
    *
    * @param profile
    *   of the task whose read waits
    */
  final private class Round(val start: Long, val profile: ReadProfile) {
    var reads = 0
    var work = 0.0
  }
}
