package io.sparklance.encoding.structural

import io.sparklance.data.{ByteRange, DataBlock, LittleEndian, RowRange, Slice, VariableBlock}
import io.sparklance.encoding.physical.Variable
import io.sparklance.encoding.{DecodeUnit, Levels, OpenPage, PageDecoder, PerValueDecompressor}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** A full-zip page of byte strings, before its index was read. */
final private class FullZipVariableDecoder(
    controls: ControlWords,
    lengthBytes: Int,
    values: PerValueDecompressor,
    data: ByteRange,
    index: ByteRange,
    rows: Long
) extends PageDecoder {
  private val offsetBytes = RowOffsets.width(index.length, rows)

  def initRanges: Vector[ByteRange] = Vector(index)

  def open(init: Vector[Slice]): OpenPage = {
    if (init.length != 1 || init.head.length != index.length)
      throw new LanceFormatException("a repetition index was not read in full")
    val offsets = new RowOffsets(init.head, offsetBytes)
    if (offsets(0) != 0 || offsets(rows) != data.length)
      throw new LanceFormatException(
        s"a repetition index covers [${offsets(0)}, ${offsets(rows)}) of ${data.length} bytes"
      )
    new FullZipVariablePage(controls, lengthBytes, values, data, offsets)
  }
}

final private class FullZipVariablePage(
    controls: ControlWords,
    lengthBytes: Int,
    values: PerValueDecompressor,
    data: ByteRange,
    offsets: RowOffsets
) extends OpenPage {

  def units(rows: RowRange, targetBytes: Int): Iterator[DecodeUnit] = {
    offsets.checkOrder(rows, data.length)
    Iterator
      .iterate(rows.start)(unitEnd(_, rows.end, targetBytes))
      .takeWhile(_ < rows.end)
      .map(from => unit(from, unitEnd(from, rows.end, targetBytes)))
  }

  private def unitEnd(from: Long, end: Long, targetBytes: Int): Long = {
    var to = from + 1
    while (to < end && offsets(to + 1) - offsets(from) <= targetBytes) to += 1
    to
  }

  private def unit(from: Long, to: Long): DecodeUnit = {
    val size = offsets(to) - offsets(from)
    if (size > Int.MaxValue - 8) throw new UnsupportedLanceFeatureException(s"a value of $size bytes")
    DecodeUnit(RowRange(from, to), data.slice(offsets(from), size))
  }

  def decode(unit: DecodeUnit, bytes: Slice, out: DataBlock, levels: Levels): Unit = {
    offsets.checkOrder(unit.rows, data.length)
    val origin = offsets(unit.rows.start)
    if (bytes.length != offsets(unit.rows.end) - origin)
      throw new LanceFormatException(s"${bytes.length} bytes for rows ${unit.rows}")
    val count = unit.rows.length.toInt
    val strings = Variable.asVariable(out)
    strings.reserve(count, bytes.length)
    val slot = levels.extend(count)
    if (controls.width > 0) levels.hasDefinition = true
    var at = bytes.offset
    var i = 0
    while (i < count) {
      val end = bytes.offset + (offsets(unit.rows.start + i + 1) - origin).toInt
      levels.definition(slot + i) = decodeRow(bytes.array, at, end, strings)
      at = end
      i += 1
    }
  }

  /** Appends the value of the row `[from, end)` and says its definition level. */
  private def decodeRow(bytes: Array[Byte], from: Int, end: Int, out: VariableBlock): Short = {
    if (end - from < controls.width)
      throw new LanceFormatException(s"a row of ${end - from} bytes without its level")
    val definition = controls.definition(bytes, from)
    val at = from + controls.width
    if (definition == 0) {
      val start = at + lengthBytes
      if (end < start || lengthAt(bytes, at) != end - start)
        throw new LanceFormatException(s"a row of ${end - from} bytes contradicts the length of its value")
      values.decompress(bytes, start, end - start, out)
    } else {
      if (at != end) throw new LanceFormatException(s"a null row of ${end - from} bytes")
      out.append(bytes, at, 0)
    }
    definition
  }

  private def lengthAt(bytes: Array[Byte], at: Int): Long =
    if (lengthBytes == 4) LittleEndian.unsignedInt(bytes, at) else LittleEndian.long(bytes, at)
}

/** The repetition index of a page, as packed as it is on disk. */
final private class RowOffsets(index: Slice, width: Int) {

  /** Where row `row` starts. */
  def apply(row: Long): Long = {
    val at = Math.toIntExact(row * width)
    width match {
      case 1 => index.unsignedByte(at).toLong
      case 2 => index.unsignedShort(at).toLong
      case 4 => index.unsignedInt(at)
      case _ => index.long(at)
    }
  }

  def checkOrder(rows: RowRange, size: Long): Unit = {
    var previous = apply(rows.start)
    if (previous < 0) throw new LanceFormatException(s"row ${rows.start} starts at $previous")
    var row = rows.start + 1
    while (row <= rows.end) {
      val offset = apply(row)
      if (offset < previous || offset > size)
        throw new LanceFormatException(s"row ${row - 1} is at [$previous, $offset) of $size bytes")
      previous = offset
      row += 1
    }
  }
}

private object RowOffsets {
  private val Widths = Set(1L, 2L, 4L, 8L)

  /** The width of the offsets in an index of `size` bytes. */
  def width(size: Long, rows: Long): Int = {
    val width = size / (rows + 1)
    if (size % (rows + 1) != 0 || !Widths(width))
      throw new LanceFormatException(s"a repetition index of $size bytes for $rows rows")
    if (size > Int.MaxValue - 8)
      throw new UnsupportedLanceFeatureException(s"a repetition index of $size bytes")
    width.toInt
  }
}
