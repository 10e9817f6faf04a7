package io.sparklance.dataset.predicate

import java.util.Arrays

import io.sparklance.data.VariableBlock

/** Loops that keep the ascending positions whose values pass a test. Each works in place and returns the
  * remaining number. `flip` is 1 to keep the values that fail, otherwise 0. No loop branches on a value,
  * because values are unpredictable.
  */
private object Narrowing {

  def toNulls(nulls: Array[Boolean], positions: Array[Int], count: Int, flip: Int): Int = {
    var kept = 0
    var i = 0
    while (i < count) {
      val p = positions(i)
      positions(kept) = p
      kept += (if (nulls(p)) 1 else 0) ^ flip
      i += 1
    }
    kept
  }

  /** @param keys keys of the positions, moved along with them */
  def within(
      keys: Array[Long],
      least: Long,
      most: Long,
      positions: Array[Int],
      count: Int,
      flip: Int
  ): Int = {
    val span = most - least
    // No value is within reversed bounds.
    val outside = if (least > most) 1 else 0
    var kept = 0
    var i = 0
    while (i < count) {
      val key = keys(i)
      positions(kept) = positions(i)
      keys(kept) = key
      kept += (isAbove(key - least, span) | outside) ^ 1 ^ flip
      i += 1
    }
    kept
  }

  /** Returns 1 if `a` is greater than `b`, both unsigned, otherwise 0: the borrow of the subtraction. */
  private def isAbove(a: Long, b: Long): Int = (((~b & a) | ((~b | a) & (b - a))) >>> 63).toInt

  /** Tests first whether a key belongs where the previous one did: keys that ascend need no search then. */
  def oneOf(keys: Array[Long], sorted: Array[Long], positions: Array[Int], count: Int, flip: Int): Int = {
    var kept = 0
    var i = 0
    // The first of the sorted keys that is not below the previous key.
    var at = 0
    while (i < count) {
      val key = keys(i)
      if (at > 0 && sorted(at - 1) >= key || at < sorted.length && sorted(at) < key) {
        val found = Arrays.binarySearch(sorted, key)
        at = if (found >= 0) found else -found - 1
      }
      positions(kept) = positions(i)
      kept += (if (at < sorted.length && sorted(at) == key) 1 else 0) ^ flip
      i += 1
    }
    kept
  }

  def sameAs(block: VariableBlock, value: Array[Byte], positions: Array[Int], count: Int, flip: Int): Int = {
    val bytes = block.bytes
    val offsets = block.offsets
    val size = value.length
    var kept = 0
    var i = 0
    while (i < count) {
      val p = positions(i)
      val from = offsets(p)
      val end = offsets(p + 1)
      positions(kept) = p
      kept += (if (end - from == size && Arrays.equals(bytes, from, end, value, 0, size)) 1 else 0) ^ flip
      i += 1
    }
    kept
  }

  /** @param most greatest comparison result that passes: -1 for values before `value`, 0 including it */
  def notAfter(
      block: VariableBlock,
      value: Array[Byte],
      most: Int,
      positions: Array[Int],
      count: Int,
      flip: Int
  ): Int = {
    val bytes = block.bytes
    val offsets = block.offsets
    val size = value.length
    var kept = 0
    var i = 0
    while (i < count) {
      val p = positions(i)
      positions(kept) = p
      val order = Arrays.compareUnsigned(bytes, offsets(p), offsets(p + 1), value, 0, size)
      kept += (if (order <= most) 1 else 0) ^ flip
      i += 1
    }
    kept
  }

  def oneOf(
      block: VariableBlock,
      sorted: Array[Array[Byte]],
      positions: Array[Int],
      count: Int,
      flip: Int
  ): Int = {
    var kept = 0
    var i = 0
    while (i < count) {
      val p = positions(i)
      positions(kept) = p
      kept += (if (isAmong(sorted, block.bytes, block.offsets(p), block.offsets(p + 1))) 1 else 0) ^ flip
      i += 1
    }
    kept
  }

  def startsWith(
      block: VariableBlock,
      part: Array[Byte],
      positions: Array[Int],
      count: Int,
      flip: Int
  ): Int = {
    val bytes = block.bytes
    val offsets = block.offsets
    val size = part.length
    var kept = 0
    var i = 0
    while (i < count) {
      val p = positions(i)
      val from = offsets(p)
      positions(kept) = p
      val starts = offsets(p + 1) - from >= size && Arrays.equals(bytes, from, from + size, part, 0, size)
      kept += (if (starts) 1 else 0) ^ flip
      i += 1
    }
    kept
  }

  def endsWith(block: VariableBlock, part: Array[Byte], positions: Array[Int], count: Int, flip: Int): Int = {
    val bytes = block.bytes
    val offsets = block.offsets
    val size = part.length
    var kept = 0
    var i = 0
    while (i < count) {
      val p = positions(i)
      val end = offsets(p + 1)
      positions(kept) = p
      val ends = end - offsets(p) >= size && Arrays.equals(bytes, end - size, end, part, 0, size)
      kept += (if (ends) 1 else 0) ^ flip
      i += 1
    }
    kept
  }

  def contains(block: VariableBlock, part: Array[Byte], positions: Array[Int], count: Int, flip: Int): Int = {
    var kept = 0
    var i = 0
    while (i < count) {
      val p = positions(i)
      positions(kept) = p
      kept += (if (isIn(part, block.bytes, block.offsets(p), block.offsets(p + 1))) 1 else 0) ^ flip
      i += 1
    }
    kept
  }

  private def isIn(part: Array[Byte], bytes: Array[Byte], from: Int, end: Int): Boolean = {
    val size = part.length
    val last = end - size
    if (size == 0) true
    else {
      val first = part(0)
      var at = from
      while (at <= last && !(bytes(at) == first && Arrays.equals(bytes, at, at + size, part, 0, size)))
        at += 1
      at <= last
    }
  }

  private def isAmong(sorted: Array[Array[Byte]], bytes: Array[Byte], from: Int, end: Int): Boolean = {
    var low = 0
    var high = sorted.length
    while (low < high) {
      val middle = low + high >>> 1
      val value = sorted(middle)
      val order = Arrays.compareUnsigned(value, 0, value.length, bytes, from, end)
      if (order == 0) return true
      if (order < 0) low = middle + 1 else high = middle
    }
    false
  }
}
