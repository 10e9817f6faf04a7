package io.sparklance.index.build

import java.util.Arrays

import io.sparklance.data.LittleEndian

/** Finds the order of byte strings, compared unsigned: sorts by eight bytes at a time, as numbers, and looks
  * further where these are equal. Equal strings have any order.
  */
final private[build] class ByteStringOrder(bytes: Array[Byte], starts: Array[Int], ends: Array[Int]) {

  /** Returns the numbers of the first `n` strings in order. */
  def sorted(n: Int): Array[Int] = {
    val order = Array.range(0, n)
    sort(order, 0, n, 0)
    order
  }

  /** Sorts `order` in `[from, until)`, whose strings agree in the first `depth` bytes. */
  private def sort(order: Array[Int], from: Int, until: Int, depth: Int): Unit =
    if (until - from <= ByteStringOrder.Few) insert(order, from, until, depth)
    else {
      val n = until - from
      val heads = new Array[Long](n)
      val members = new Array[Long](n)
      var i = 0
      while (i < n) {
        heads(i) = head(order(from + i), depth)
        members(i) = order(from + i).toLong
        i += 1
      }
      val pairs = new LongPairs(heads, members)
      pairs.sort(n)
      i = 0
      while (i < n) { order(from + i) = pairs.values(i).toInt; i += 1 }
      i = 0
      while (i < n) {
        var end = i + 1
        while (end < n && pairs.keys(end) == pairs.keys(i)) end += 1
        if (end - i > 1) sortRest(order, from + i, from + end, depth + 8)
        i = end
      }
    }

  /** Sorts strings whose first `depth` bytes agree, if missing bytes count as zeros. Those that end before
    * come first, the shortest at the start.
    */
  private def sortRest(order: Array[Int], from: Int, until: Int, depth: Int): Unit = {
    var middle = from
    var i = from
    while (i < until) {
      val member = order(i)
      if (ends(member) - starts(member) <= depth) {
        order(i) = order(middle)
        order(middle) = member
        middle += 1
      }
      i += 1
    }
    if (middle - from > 1) sortEnded(order, from, middle)
    if (until - middle > 1) sort(order, middle, until, depth)
  }

  /** Sorts strings that differ in their lengths only. */
  private def sortEnded(order: Array[Int], from: Int, until: Int): Unit = {
    val n = until - from
    val members = Array.tabulate(n)(i => order(from + i).toLong)
    val pairs = new LongPairs(members.map(i => ends(i.toInt).toLong - starts(i.toInt)), members)
    pairs.sort(n)
    var i = 0
    while (i < n) { order(from + i) = pairs.values(i).toInt; i += 1 }
  }

  private def insert(order: Array[Int], from: Int, until: Int, depth: Int): Unit = {
    var i = from + 1
    while (i < until) {
      val member = order(i)
      var at = i
      while (at > from && precedes(member, order(at - 1), depth)) { order(at) = order(at - 1); at -= 1 }
      order(at) = member
      i += 1
    }
  }

  private def precedes(a: Int, b: Int, depth: Int): Boolean = Arrays.compareUnsigned(
    bytes,
    math.min(starts(a) + depth, ends(a)),
    ends(a),
    bytes,
    math.min(starts(b) + depth, ends(b)),
    ends(b)
  ) < 0

  /** The eight bytes of a string from `depth` on, as a number in the same order. */
  private def head(i: Int, depth: Int): Long = {
    val at = starts(i) + depth
    val size = ends(i) - at
    val number =
      if (size >= 8) java.lang.Long.reverseBytes(LittleEndian.long(bytes, at))
      else {
        var head = 0L
        var j = 0
        while (j < 8) { head = head << 8 | (if (j < size) bytes(at + j) & 0xffL else 0L); j += 1 }
        head
      }
    number ^ Long.MinValue
  }
}

private object ByteStringOrder {

  /** Number of strings up to which insertion is faster. */
  final private val Few = 32
}
