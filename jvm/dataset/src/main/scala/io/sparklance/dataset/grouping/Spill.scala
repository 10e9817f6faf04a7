package io.sparklance.dataset.grouping

import java.math.BigInteger
import java.util.Arrays

import io.sparklance.data.LittleEndian

/** Partial sums besides those that are a long. They become rows of their own. */
final private class Spill {
  private var group = new Array[Int](16)
  private var bytes = new Array[Byte](16 * group.length)
  private var count = 0

  def size: Int = count

  /** The groups of the sums. */
  def groups: Array[Int] = group

  /** The sums: two's complement in 16 bytes, little-endian. */
  def sums: Array[Byte] = bytes

  /** Adds a sum of at most 127 bits. */
  def add(to: Int, sum: BigInteger): Unit = add(to, sum.longValue, sum.shiftRight(64).longValue)

  def clear(): Unit = count = 0

  private def add(to: Int, low: Long, high: Long): Unit = {
    if (count == group.length) {
      group = Arrays.copyOf(group, 2 * count)
      bytes = Arrays.copyOf(bytes, 16 * group.length)
    }
    group(count) = to
    LittleEndian.putLong(bytes, 16 * count, low)
    LittleEndian.putLong(bytes, 16 * count + 8, high)
    count += 1
  }
}

private object Spill {

  /** Stays empty. */
  val none: Spill = new Spill
}
