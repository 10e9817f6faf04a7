package io.sparklance.testkit

import io.sparklance.data.ByteRange
import io.sparklance.io.{ObjectStore, ReadableFile}

/** A store that answers requests in rounds: a request waits until no other one has come for a while, and then
  * all that wait are answered. A reader that needs one answer to make the next request needs two rounds.
  */
final class RoundsStore(inner: ObjectStore) extends DelegatingStore(inner) {
  private var last = 0L
  private var answered = 0

  /** Number of rounds so far. */
  def rounds: Int = synchronized(answered)
  def forgetRounds(): Unit = synchronized { answered = 0 }

  override def open(path: String, knownSize: Option[Long]): ReadableFile = {
    val file = inner.open(path, knownSize)
    new DelegatingFile(file) {
      override def read(range: ByteRange, target: Array[Byte], at: Int): Unit = {
        awaitRound()
        file.read(range, target, at)
      }
    }
  }

  private def awaitRound(): Unit = synchronized {
    val round = answered
    last = System.nanoTime()
    while (round == answered) {
      wait(RoundsStore.QuietMillis)
      if (round == answered && System.nanoTime() - last >= RoundsStore.QuietMillis * 1000000) {
        answered += 1
        notifyAll()
      }
    }
  }
}

private object RoundsStore {
  final private val QuietMillis = 200L
}
