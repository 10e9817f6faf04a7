package io.sparklance.dataset.grouping

import java.util.Arrays

/** Numbers different longs in the order of their first appearance: a hash table with open addressing. */
final private class LongNumbering {
  // A slot has a number plus 1, or 0 if it is free. At most half of the slots are taken.
  private var slots = new Array[Int](HashSlots.Fewest)
  private var shift = LongNumbering.shift(slots.length)
  private var numbered = new Array[Long](slots.length / 2)
  private var count = 0

  def size: Int = count

  /** Returns the long with a number. */
  def value(number: Int): Long = numbered(number)

  /** Writes the numbers of `values[0 until n]` to `out`. */
  def number(values: Array[Long], n: Int, out: Array[Int]): Unit = if (n > 0) {
    reserve(count + n)
    var last = values(0)
    var number = find(last)
    out(0) = number
    var i = 1
    while (i < n) {
      val value = values(i)
      if (value != last) {
        number = find(value)
        last = value
      }
      out(i) = number
      i += 1
    }
  }

  /** Does the work of [[number]], but writes -1 for nulls. */
  def numberValid(values: Array[Long], nulls: Array[Boolean], n: Int, out: Array[Int]): Unit = {
    reserve(count + n)
    var i = 0
    while (i < n) {
      out(i) = if (nulls(i)) -1 else find(values(i))
      i += 1
    }
  }

  /** Forgets all numbers, and arrays for many more than `expected` ones. */
  def clear(expected: Int): Unit = {
    val enough = HashSlots.of(expected)
    if (slots.length > enough) {
      slots = new Array[Int](enough)
      shift = LongNumbering.shift(enough)
      numbered = new Array[Long](enough / 2)
    } else Arrays.fill(slots, 0)
    count = 0
  }

  private def find(value: Long): Int = {
    val slots = this.slots
    val mask = slots.length - 1
    var at = (value * HashSlots.Factor >>> shift).toInt
    while (slots(at) != 0 && numbered(slots(at) - 1) != value) at = at + 1 & mask
    if (slots(at) == 0) {
      numbered(count) = value
      count += 1
      slots(at) = count
    }
    slots(at) - 1
  }

  private def reserve(needed: Int): Unit = if (needed > numbered.length) {
    slots = new Array[Int](HashSlots.of(needed))
    shift = LongNumbering.shift(slots.length)
    numbered = Arrays.copyOf(numbered, slots.length / 2)
    val mask = slots.length - 1
    var i = 0
    while (i < count) {
      var at = (numbered(i) * HashSlots.Factor >>> shift).toInt
      while (slots(at) != 0) at = at + 1 & mask
      i += 1
      slots(at) = i
    }
  }
}

private object LongNumbering {
  private def shift(slots: Int): Int = java.lang.Long.numberOfLeadingZeros(slots - 1L)
}
