package io.sparklance.testkit

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

  /** Runs a decoder on bad bytes: it may refuse them as bad, or answer with `count` values; nothing else. */
  def decodesOrRefuses(count: Int)(decode: => Int): Unit =
    try {
      val length = LanceFormatException.locating(Location())(decode)
      assert(length == count, s"$length values instead of $count")
    } catch { case _: LanceFormatException => () }
}
