package io.sparklance.io

/** Whether the tasks that read local files do so on other threads, ahead of decoding. That costs time of the
  * processor, and only a disk that makes tasks wait is worth it: files in the page cache do not. Decides by
  * how long earlier tasks waited for a byte, either way, and tries the other way from time to time. For one
  * thread at a time.
  */
final private class AheadChoice {
  import AheadChoice._

  private var onDemand = new Waits(Vector.empty)
  private var ahead = new Waits(Vector.empty)
  // Tasks since the other way was tried.
  private var tasks = 0

  /** Returns whether the next task reads ahead. */
  def next(): Boolean = onDemand.isKnown && onDemand.shortest > Quick && {
    tasks += 1
    val isTurn = tasks >= Turns
    if (isTurn) tasks = 0
    if (ahead.isKnown) ahead.shortest < Gain * onDemand.shortest != isTurn else true
  }

  /** Learns from a task that has ended. */
  def ended(wasAhead: Boolean, bytes: Long, waitedNanos: Long): Unit = if (bytes >= FewBytes) {
    val seen = waitedNanos.toDouble / bytes
    if (wasAhead) ahead = ahead.and(seen) else onDemand = onDemand.and(seen)
  }
}

private object AheadChoice {

  /** Smaller tasks say little. */
  final private val FewBytes = 4L << 20

  /** The page cache takes fewer nanoseconds for a byte. */
  final private val Quick = 0.7

  /** Reading ahead pays if tasks wait for less than this part of the time. */
  final private val Gain = 0.7

  /** The number of tasks of which one goes the other way. */
  final private val Turns = 16

  final private val Kept = 4

  /** Nanoseconds that the last tasks waited for a byte. The shortest counts: the others may have waited for
    * the processor.
    */
  final private class Waits(last: Vector[Double]) {
    def isKnown: Boolean = last.size == Kept
    def shortest: Double = last.min
    def and(seen: Double): Waits = new Waits((last :+ seen).takeRight(Kept))
  }
}
