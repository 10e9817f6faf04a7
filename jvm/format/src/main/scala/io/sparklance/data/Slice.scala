package io.sparklance.data

import io.sparklance.LanceFormatException

/** `length` bytes of a heap array, without a copy. Offsets of its methods count from the slice's start.
  *
  * A decoder checks the slice's length once against what it expects and then works on `array` directly.
  */
final private[sparklance] case class Slice(array: Array[Byte], offset: Int, length: Int) {
  def end: Int = offset + length

  /** The bytes `[from, from + size)`; sizes come from disk, so a slice that does not fit is bad data. */
  def slice(from: Long, size: Long, what: => String): Slice = {
    if (from < 0 || size < 0 || from > length || size > length - from)
      throw new LanceFormatException(s"$what claims bytes [$from, ${from + size}) of a buffer of $length")
    Slice(array, offset + from.toInt, size.toInt)
  }

  def unsignedByte(at: Int): Int = LittleEndian.unsignedByte(array, index(at, 1))
  def unsignedShort(at: Int): Int = LittleEndian.unsignedShort(array, index(at, 2))
  def int(at: Int): Int = LittleEndian.int(array, index(at, 4))
  def unsignedInt(at: Int): Long = LittleEndian.unsignedInt(array, index(at, 4))
  def long(at: Int): Long = LittleEndian.long(array, index(at, 8))

  def toArray: Array[Byte] = java.util.Arrays.copyOfRange(array, offset, end)

  private def index(at: Int, size: Int): Int = {
    if (at < 0 || at > length - size)
      throw new LanceFormatException(s"$size bytes wanted at $at of a buffer of $length")
    offset + at
  }
}

private[sparklance] object Slice {
  val Empty: Slice = Slice(Array.emptyByteArray, 0, 0)

  def apply(array: Array[Byte]): Slice = Slice(array, 0, array.length)
}
