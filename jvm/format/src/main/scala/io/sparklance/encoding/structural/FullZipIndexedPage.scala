package io.sparklance.encoding.structural

import io.sparklance.data.{ByteRange, DataBlock, RowRange, Slice}
import io.sparklance.encoding.physical.SlotValues
import io.sparklance.encoding.{DecodeUnit, Layers, Levels, OpenPage, PageDecoder}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** A full-zip page with a repetition index, before the index is read. */
final private class FullZipIndexedDecoder(
    controls: ControlWords,
    values: SlotValues,
    data: ByteRange,
    index: StoredOffsets
) extends PageDecoder {
  def initRanges: Vector[ByteRange] = index.parts

  def open(init: Vector[Slice]): OpenPage =
    new FullZipIndexedPage(controls, values, data, index.open(init, data.length))
}

final private class FullZipIndexedPage(
    controls: ControlWords,
    values: SlotValues,
    data: ByteRange,
    offsets: RowOffsets
) extends OpenPage {
  def layers: Layers = controls.layers

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
    levels.hasDefinition = controls.width > 0
    levels.hasRepetition = layers.maxRepetition > 0
    val count = unit.rows.length.toInt
    values.prepare(out, count, bytes.length)
    // A row has one slot; with lists, more may follow.
    var slot = levels.extend(if (levels.hasRepetition) 0 else count)
    var at = bytes.offset
    var row = unit.rows.start
    while (row < unit.rows.end) {
      val end = bytes.offset + (offsets(row + 1) - origin).toInt
      if (levels.hasRepetition) decodeRow(bytes.array, at, end, out, levels)
      else {
        checkEnd(at, decodeSlot(bytes.array, at, end, 0, out, levels, slot), end)
        slot += 1
      }
      at = end
      row += 1
    }
  }

  /** Appends the slots of the row `[from, end)`. */
  private def decodeRow(bytes: Array[Byte], from: Int, end: Int, out: DataBlock, levels: Levels): Unit = {
    val max = layers.maxRepetition
    var at = decodeSlot(bytes, from, end, max, out, levels, levels.extend(1))
    while (at < end) at = decodeSlot(bytes, at, end, max - 1, out, levels, levels.extend(1))
    checkEnd(from, at, end)
  }

  private def checkEnd(from: Int, at: Int, end: Int): Unit =
    if (at != end) throw new LanceFormatException(s"a row of ${end - from} bytes has a slot of ${at - from}")

  /** Reads the slot at `from` and appends its value, if it has one. Returns its end.
    *
    * @param highest
    *   highest valid repetition level; the first slot of a row has the highest of the page
    */
  private def decodeSlot(
      bytes: Array[Byte],
      from: Int,
      end: Int,
      highest: Int,
      out: DataBlock,
      levels: Levels,
      slot: Int
  ): Int = {
    if (end - from < controls.width)
      throw new LanceFormatException(s"a row with ${end - from} bytes where a slot's levels should be")
    val word = controls.read(bytes, from)
    val repetition = controls.repetition(word)
    val definition = controls.definition(word)
    if (if (highest == layers.maxRepetition) repetition != highest else repetition > highest)
      throw new LanceFormatException(s"repetition level $repetition where the repetition index disagrees")
    levels.repetition(slot) = repetition.toShort
    levels.definition(slot) = definition.toShort
    val at = from + controls.width
    if (definition > layers.maxVisible) at
    else if (definition == 0) values.append(bytes, at, end, out)
    else values.appendNull(bytes, at, end, out)
  }
}
