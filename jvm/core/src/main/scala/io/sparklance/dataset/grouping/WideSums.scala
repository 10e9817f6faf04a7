package io.sparklance.dataset.grouping

import java.math.BigInteger
import java.util.Arrays

/** Sums of groups that exceed a long.
  *
  * @param greatest
  *   the greatest absolute value of a sum
  * @param spill
  *   gets a sum to which the next value cannot be added
  */
final private class WideSums(greatest: BigInteger, spill: Spill) {
  // Null for groups without one.
  private var sums = new Array[BigInteger](0)

  def add(group: Int, value: BigInteger): Unit = {
    if (group >= sums.length) sums = Arrays.copyOf(sums, Accumulator.grown(sums.length, group + 1))
    val old = sums(group)
    if (old == null) sums(group) = value
    else {
      val sum = old.add(value)
      if (sum.abs.compareTo(greatest) <= 0) sums(group) = sum
      else {
        spill.add(group, old)
        sums(group) = value
      }
    }
  }

  /** Spills all sums. */
  def spillAll(): Unit = {
    var group = 0
    while (group < sums.length) {
      if (sums(group) != null) spill.add(group, sums(group))
      sums(group) = null
      group += 1
    }
  }
}
