package io.sparklance.encoding.physical

import io.sparklance.LanceFormatException
import io.sparklance.data.LittleEndian

/** `count + 1` offsets of 32 or 64 bits in `bytes` from `at` on: value i is `[offset(i), offset(i + 1))`. */
final private[encoding] class Offsets(bytes: Array[Byte], at: Int, count: Int, bits: Int) {

  /** Start of the first value. */
  def first: Long = apply(0)

  /** End of the last value. */
  def last: Long = apply(count)

  private def apply(i: Int): Long =
    if (bits == 32) LittleEndian.unsignedInt(bytes, at + 4 * i) else LittleEndian.long(bytes, at + 8 * i)

  /** Checks that the values lie in `[from, to)`. Returns their total size in bytes. */
  def sizeWithin(from: Long, to: Long): Int = {
    if (first < from || last < first || last > to)
      throw new LanceFormatException(s"offsets $first to $last leave the values' bytes [$from, $to)")
    (last - first).toInt
  }

  /** Writes the values' ends, moved by `shift`, to `ends(slot ..)`. Call [[sizeWithin]] first. */
  def load(shift: Int, ends: Array[Int], slot: Int): Unit = {
    val ordered =
      if (bits == 32) Offsets.load32(bytes, at, count, shift, ends, slot)
      else Offsets.load64(bytes, at, count, shift, ends, slot)
    if (!ordered) throw new LanceFormatException("offsets of values decrease")
  }
}

private[encoding] object Offsets {

  def require(bits: Int): Unit =
    if (bits != 32 && bits != 64) throw new LanceFormatException(s"offsets of $bits bits; 32 or 64 expected")

  /** Loads 32-bit offsets. In both loops a decrease, or an offset beyond 2^31, sets the sign bit: offsets
    * between a valid first and a valid last that do not decrease are all valid.
    */
  private def load32(
      bytes: Array[Byte],
      at: Int,
      n: Int,
      shift: Int,
      ends: Array[Int],
      slot: Int
  ): Boolean = {
    var sign = 0
    var i = 0
    while (i < n) {
      val start: Int = LittleEndian.INT.get(bytes, at + 4 * i)
      val end: Int = LittleEndian.INT.get(bytes, at + 4 * i + 4)
      sign |= end | (end - start)
      ends(slot + i) = end + shift
      i += 1
    }
    sign >= 0
  }

  private def load64(
      bytes: Array[Byte],
      at: Int,
      n: Int,
      shift: Int,
      ends: Array[Int],
      slot: Int
  ): Boolean = {
    var sign = 0L
    var i = 0
    while (i < n) {
      val start: Long = LittleEndian.LONG.get(bytes, at + 8 * i)
      val end: Long = LittleEndian.LONG.get(bytes, at + 8 * i + 8)
      sign |= end | (end - start)
      ends(slot + i) = end.toInt + shift
      i += 1
    }
    sign >= 0
  }
}
