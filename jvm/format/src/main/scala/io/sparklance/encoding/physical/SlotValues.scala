package io.sparklance.encoding.physical

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, LittleEndian, VariableBlock}
import io.sparklance.encoding.{FixedValuesDecompressor, PerValueDecompressor}

/** Decodes single values: those after the levels of a full-zip page's slots, and the fields of a struct in
  * such a value.
  */
sealed abstract private[encoding] class SlotValues {

  /** Makes room for `count` values from about `size` bytes. */
  def prepare(out: DataBlock, count: Int, size: Int): Unit

  /** Appends the value that starts at `at` and ends at or before `end`. Returns its end. */
  def append(bytes: Array[Byte], at: Int, end: Int, out: DataBlock): Int

  /** Appends a null, or a leaf of a null struct. Returns its end. */
  def appendNull(bytes: Array[Byte], at: Int, end: Int, out: DataBlock): Int
}

/** Fixed-width values. A null takes as many bytes as any other value. */
final private[encoding] class FixedSlots(values: FixedValuesDecompressor) extends SlotValues {
  def prepare(out: DataBlock, count: Int, size: Int): Unit = ()

  def append(bytes: Array[Byte], at: Int, end: Int, out: DataBlock): Int = {
    if (end - at < values.bytesPerValue)
      throw new LanceFormatException(s"a row with ${end - at} bytes where a value should be")
    values.decompress(bytes, at, 1, out)
    at + values.bytesPerValue
  }

  def appendNull(bytes: Array[Byte], at: Int, end: Int, out: DataBlock): Int = append(bytes, at, end, out)
}

/** Variable-width values with their length in front. A null takes no bytes.
  *
  * @param lengthBytes
  *   4 or 8
  */
final private[encoding] class VariableSlots(lengthBytes: Int, values: PerValueDecompressor)
    extends SlotValues {
  def prepare(out: DataBlock, count: Int, size: Int): Unit = out match {
    case strings: VariableBlock => strings.reserve(count, size)
    case _ => ()
  }

  def append(bytes: Array[Byte], at: Int, end: Int, out: DataBlock): Int = {
    val start = at + lengthBytes
    val length = if (end < start) -1L else lengthAt(bytes, at)
    if (length < 0 || length > end - start)
      throw new LanceFormatException(s"a row with ${end - at} bytes where a value of $length should be")
    values.decompress(bytes, start, length.toInt, out)
    start + length.toInt
  }

  def appendNull(bytes: Array[Byte], at: Int, end: Int, out: DataBlock): Int = {
    out.appendSlots(1)
    at
  }

  private def lengthAt(bytes: Array[Byte], at: Int): Long =
    if (lengthBytes == 4) LittleEndian.unsignedInt(bytes, at) else LittleEndian.long(bytes, at)
}
