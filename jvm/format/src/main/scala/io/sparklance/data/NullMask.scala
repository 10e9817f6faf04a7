package io.sparklance.data

import java.util.Arrays

/** Null flags of a column: one boolean for each value (the fastest form for readers of vectors), and no array
  * at all while there are no nulls.
  */
final private[sparklance] class NullMask {
  private var flags: Array[Boolean] = _
  private var marked = 0
  var length: Int = 0

  /** The flags `[0, length)`, or null when nothing is null. */
  def orNull: Array[Boolean] = if (marked == 0) null else flags

  def hasNulls: Boolean = marked > 0
  def isNull(i: Int): Boolean = marked > 0 && flags(i)

  /** Number of nulls. */
  def count: Int = marked

  /** Whether the first `n` flags equal those of `other`. */
  def agrees(other: NullMask, n: Int): Boolean =
    if (marked > 0 && other.marked > 0) Arrays.equals(flags, 0, n, other.flags, 0, n)
    else !anyNull(n) && !other.anyNull(n)

  private def anyNull(n: Int): Boolean = marked > 0 && {
    var i = 0
    while (i < n && !flags(i)) i += 1
    i < n
  }

  def appendValid(n: Int): Unit = {
    if (flags != null) {
      ensure(length + n)
      Arrays.fill(flags, length, length + n, false)
    }
    length += n
  }

  def appendNull(n: Int): Unit = {
    ensure(length + n)
    Arrays.fill(flags, length, length + n, true)
    length += n
    marked += n
  }

  /** Appends the flags `[from, from + n)` of another mask. */
  def append(other: NullMask, from: Int, n: Int): Unit =
    if (!other.hasNulls) appendValid(n)
    else {
      ensure(length + n)
      System.arraycopy(other.flags, from, flags, length, n)
      var i = length
      length += n
      while (i < length) { if (flags(i)) marked += 1; i += 1 }
    }

  /** Appends the flags at `first + positions(i)` of another mask, for i from 0 to `count`. */
  def gather(other: NullMask, first: Int, positions: Array[Int], count: Int): Unit =
    if (!other.hasNulls) appendValid(count)
    else {
      ensure(length + count)
      val from = other.flags
      var i = 0
      while (i < count) {
        val isNull = from(first + positions(i))
        flags(length + i) = isNull
        if (isNull) marked += 1
        i += 1
      }
      length += count
    }

  /** Appends one flag for each definition level `[from, from + n)`: null where the level is above `maxValid`.
    */
  def appendLevels(levels: Array[Short], from: Int, n: Int, maxValid: Int = 0): Unit = {
    ensure(length + n)
    val out = flags
    val base = length - from
    var nulls = 0
    var i = from
    while (i < from + n) {
      val level = levels(i) & 0xffff
      out(base + i) = level > maxValid
      // The sign bit of the difference, so that nulls at random cost no mispredicted branches.
      nulls += maxValid - level >>> 31
      i += 1
    }
    length += n
    marked += nulls
  }

  /** Appends the `n` lowest bits of `bitmap` from byte `at` on: 0 is null. */
  def appendValidity(bitmap: Array[Byte], at: Int, n: Int): Unit = appendValidity(bitmap, at, 0, n)

  /** Appends `n` bits, after the `skipped` (0 to 7) lowest bits of byte `at`. */
  def appendValidity(bitmap: Array[Byte], at: Int, skipped: Int, n: Int): Unit = {
    ensure(length + n)
    val out = flags
    val base = length
    var nulls = 0
    var i = 0
    while (i < n) {
      val bit = skipped + i
      val isNull = (bitmap(at + (bit >> 3)) >> (bit & 7) & 1) == 0
      out(base + i) = isNull
      if (isNull) nulls += 1
      i += 1
    }
    length += n
    marked += nulls
  }

  /** Writes the flags `[from, from + n)` as bits to the zeroed `bitmap`, from byte `at` on: 0 is null. */
  def writeValidity(from: Int, n: Int, bitmap: Array[Byte], at: Int): Unit = {
    var i = 0
    while (i < n) {
      if (!isNull(from + i)) {
        val b = at + (i >> 3)
        bitmap(b) = (bitmap(b) | 1 << (i & 7)).toByte
      }
      i += 1
    }
  }

  /** Appends valid flags up to a length of `n`. */
  def padTo(n: Int): Unit = if (n > length) appendValid(n - length)

  def truncate(n: Int): Unit = resize(math.min(n, length))

  def clear(): Unit = resize(0)

  /** Frees flags of more than `most` bytes. Call only on empty masks. */
  def release(most: Long): Unit = if (flags != null && flags.length > most) flags = null

  private[data] def moveDown(from: Int, to: Int, n: Int): Unit =
    if (marked > 0) System.arraycopy(flags, from, flags, to, n)

  def discardHead(n: Int): Unit = discard(0, n)

  /** Drops the flags `[from, from + n)`. */
  def discard(from: Int, n: Int): Unit = if (n > 0) {
    moveDown(from + n, from, length - from - n)
    resize(length - n)
  }

  /** Keeps, among the first `of` flags, those at the ascending `positions[0 until count]`, and all later
    * flags.
    */
  def retain(positions: Array[Int], count: Int, of: Int): Unit = {
    val behind = length - of
    if (marked > 0) {
      var i = 0
      while (i < count) { flags(i) = flags(positions(i)); i += 1 }
      moveDown(of, count, behind)
    }
    resize(count + behind)
  }

  private def resize(n: Int): Unit = {
    length = n
    if (marked > 0) {
      var nulls = 0
      var i = 0
      while (i < n) { if (flags(i)) nulls += 1; i += 1 }
      marked = nulls
    }
  }

  private def ensure(needed: Int): Unit =
    if (flags == null) flags = new Array[Boolean](math.max(needed, 1024))
    else if (needed > flags.length) flags = Arrays.copyOf(flags, DataBlock.grown(flags.length, needed))
}
