package io.sparklance.testkit

import scala.util.Random

import io.sparklance.{LanceFormatException, Location}

/** Bytes as a broken disk or an attacker would leave them. */
object Hostile {

  /** `bytes` cut off at each length. */
  def truncations(bytes: Array[Byte]): Iterator[Array[Byte]] = bytes.indices.iterator.map(bytes.take)

  /** `bytes` with each byte, in turn, changed in its lowest bit, its highest, and all. */
  def flips(bytes: Array[Byte]): Iterator[Array[Byte]] =
    for { at <- bytes.indices.iterator; mask <- Iterator(1, 0x80, 0xff) } yield bytes.updated(
      at,
      (bytes(at) ^ mask).toByte
    )

  /** Runs `check` on copies of `bytes` that have one byte changed: in a full run each one whose number `step`
    * divides, else a sample of these, which is another one in each run.
    */
  def flipping(bytes: Array[Byte], step: Int = 1, masks: Seq[Int] = Seq(1, 0x80, 0xff))(
      check: Array[Byte] => Unit
  ): Unit = {
    val wide = step * Ring.cases(fast = 20, everyday = 10, full = 1)
    for (at <- step * Random.nextInt(wide / step) until bytes.length by wide; mask <- masks)
      try check(bytes.updated(at, (bytes(at) ^ mask).toByte))
      catch { case e: Throwable => throw new AssertionError(s"byte $at changed by $mask: $e", e) }
  }

  /** Runs a decoder on bad bytes: it may refuse them as bad, or answer with `count` values; nothing else. */
  def decodesOrRefuses(count: Int)(decode: => Int): Unit =
    try {
      val length = LanceFormatException.locating(Location())(decode)
      assert(length == count, s"$length values instead of $count")
    } catch { case _: LanceFormatException => () }
}
