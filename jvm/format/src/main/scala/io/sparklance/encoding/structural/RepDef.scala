package io.sparklance.encoding.structural

import io.sparklance.LanceFormatException

/** Loops over levels. */
private[encoding] object RepDef {

  /** Whether any level is not 0. Fails on a level above `max`, which no layer explains. */
  def anyDefinition(levels: Array[Short], from: Int, count: Int, max: Int): Boolean = {
    var all = 0
    var i = from
    while (i < from + count) {
      all |= levels(i)
      i += 1
    }
    // No level is above `all`; check each one only if `all` is too high.
    if ((all & 0xffff) > max) checkDefinitions(levels, from, count, max)
    all != 0
  }

  private def checkDefinitions(levels: Array[Short], from: Int, count: Int, max: Int): Unit = {
    var highest = 0
    var i = from
    while (i < from + count) {
      highest = math.max(highest, levels(i) & 0xffff)
      i += 1
    }
    if (highest > max)
      throw new LanceFormatException(s"definition level $highest in a page whose layers go up to $max")
  }

  /** Counts the rows that start in the slots `[from, end)`: those of the highest repetition level. */
  def rowStarts(levels: Array[Short], from: Int, end: Int, max: Int): Int = {
    var starts = 0
    var highest = 0
    var i = from
    while (i < end) {
      val level = levels(i) & 0xffff
      highest = math.max(highest, level)
      if (level == max) starts += 1
      i += 1
    }
    if (highest > max)
      throw new LanceFormatException(s"repetition level $highest in a page whose layers go up to $max")
    starts
  }

  /** Returns the slot in `[from, end)` at which the `n`-th row from there (counted from 0) starts, or `end`.
    */
  def startOfRow(n: Long, levels: Array[Short], from: Int, end: Int, max: Int): Int = {
    var left = n
    var i = from
    while (i < end && { if ((levels(i) & 0xffff) == max) left -= 1; left >= 0 }) i += 1
    i
  }
}
