package io.sparklance.io

import java.util.ArrayDeque

/** A pool of arrays for one thread. The array returned last, which is most likely cached, is taken first. The
  * pool holds as many arrays as were in use at the same time.
  */
final private[sparklance] class Buffers {
  // Indexed by the logarithms of their lengths, which are powers of two.
  private val idle = Array.fill(Buffers.Largest + 1)(new ArrayDeque[Array[Byte]])

  /** Returns an array of at least `length`. */
  def take(length: Int): Array[Byte] = {
    val log = Buffers.log(length)
    if (log > Buffers.Largest) new Array[Byte](length)
    else Option(idle(log).pollFirst()).getOrElse(new Array[Byte](1 << log))
  }

  /** Returns an array of [[take]] to the pool. */
  def give(array: Array[Byte]): Unit = {
    val log = Buffers.log(array.length)
    if (log <= Buffers.Largest && array.length == 1 << log) idle(log).addFirst(array)
  }
}

private object Buffers {
  final private val Smallest = 12

  /** Arrays of more than 16 MiB are rare and not kept. */
  final val Largest = 24

  def log(length: Int): Int = math.max(Smallest, 32 - Integer.numberOfLeadingZeros(math.max(length - 1, 0)))
}
