package io.sparklance.encoding.structural

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, DataBlock, RowRange, Slice}
import io.sparklance.encoding.{DecodeUnit, FixedValuesDecompressor, Layers, Levels, OpenPage, PageDecoder}

/** A full-zip page of fixed-width rows, which need no index. */
final private class FullZipFixedPage(
    controls: ControlWords,
    values: FixedValuesDecompressor,
    data: ByteRange
) extends PageDecoder
    with OpenPage {

  def layers: Layers = controls.layers
  private val rowBytes = controls.width + values.bytesPerValue

  def initRanges: Vector[ByteRange] = Vector.empty
  def open(init: Vector[Slice]): OpenPage = this

  def units(rows: RowRange, targetBytes: Int): Iterator[DecodeUnit] = {
    val perUnit = math.max(1L, targetBytes.toLong / rowBytes)
    Iterator
      .iterate(rows.start)(_ + perUnit)
      .takeWhile(_ < rows.end)
      .map { from =>
        val unit = RowRange(from, math.min(from + perUnit, rows.end))
        DecodeUnit(unit, data.slice(from * rowBytes, unit.length * rowBytes))
      }
  }

  def decode(unit: DecodeUnit, bytes: Slice, out: DataBlock, levels: Levels): Unit = {
    val count = unit.rows.length.toInt
    if (bytes.length != unit.rows.length * rowBytes)
      throw new LanceFormatException(s"${bytes.length} bytes for $count rows of $rowBytes")
    val slot = levels.extend(count)
    if (controls.width == 0) values.decompress(bytes.array, bytes.offset, count, out)
    else {
      levels.hasDefinition = true
      var i = 0
      while (i < count) {
        val at = bytes.offset + i * rowBytes
        levels.definition(slot + i) = controls.definition(controls.read(bytes.array, at)).toShort
        values.decompress(bytes.array, at + controls.width, 1, out)
        i += 1
      }
    }
  }
}

private object FullZipFixedPage {

  def apply(
      controls: ControlWords,
      values: FixedValuesDecompressor,
      data: ByteRange,
      rows: Long
  ): PageDecoder = {
    val rowBytes = controls.width.toLong + values.bytesPerValue
    if (data.length / rowBytes != rows || data.length % rowBytes != 0)
      throw new LanceFormatException(s"$rows rows of $rowBytes bytes in a buffer of ${data.length}")
    new FullZipFixedPage(controls, values, data)
  }
}
