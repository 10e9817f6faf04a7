package io.sparklance.io

import java.util.ArrayDeque

/** Arrays that are used over and over: what was given back last, and so is in the processor's cache, is taken first. They
  * are as many as were in use at a time. Of one thread.
  */
final class Buffers {
  // By the logarithms of their lengths, which are powers of two.
  private val idle = Array.fill(Buffers.Largest + 1)(new ArrayDeque[Array[Byte]])

  /** An array of at least `length`. */
  def take(length: Int): Array[Byte] = {
    val log = Buffers.log(length)
    if (log > Buffers.Largest) new Array[Byte](length)
    else Option(idle(log).pollFirst()).getOrElse(new Array[Byte](1 << log))
  }

  /** Takes back an array of [[take]]. */
  def give(array: Array[Byte]): Unit = {
    val log = Buffers.log(array.length)
    if (log <= Buffers.Largest && array.length == 1 << log) idle(log).addFirst(array)
  }
}

private object Buffers {
  final private val Smallest = 12

  /** Those of more than 16 MiB are rare, and not kept. */
  final val Largest = 24

  def log(length: Int): Int = math.max(Smallest, 32 - Integer.numberOfLeadingZeros(math.max(length - 1, 0)))
}
