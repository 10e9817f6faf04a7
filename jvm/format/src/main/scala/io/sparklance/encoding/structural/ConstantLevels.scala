package io.sparklance.encoding.structural

import java.nio.{ByteBuffer, ByteOrder}

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, DataBlock, Fixed16Block, RowRange, Slice, ValueShape}
import io.sparklance.encoding.compression.Decompressors
import io.sparklance.encoding.{DecodeUnit, Layers, Levels, OpenPage}
import io.sparklance.proto.encodings.{CompressiveEncoding, ConstantLayout}

/** A constant page with lists, or with compressed levels. No index locates the levels of a row, so all are
  * kept in memory.
  *
  * @param repetition
  *   empty in a page without lists
  * @param definition
  *   empty if all are 0
  * @param starts
  *   the first slot of each row, and the end of the last one
  */
final private class ConstantLevels(
    val layers: Layers,
    repetition: Array[Short],
    definition: Array[Short],
    starts: Array[Int],
    values: ConstantValues
) extends OpenPage {
  values.check(layers)
  private val slotBytes = 4 + values.valueBytes

  def units(rows: RowRange, targetBytes: Int): Iterator[DecodeUnit] =
    Iterator
      .unfold(rows.start) { start =>
        Option.when(start < rows.end) {
          val end = unitEnd(start, rows.end, targetBytes)
          (DecodeUnit(RowRange(start, end), ByteRange(0, 0)), end)
        }
      }

  private def unitEnd(from: Long, end: Long, targetBytes: Int): Long = {
    var to = from + 1
    while (to < end && (starts(to.toInt + 1) - starts(from.toInt)) * slotBytes <= targetBytes) to += 1
    to
  }

  def decode(unit: DecodeUnit, bytes: Slice, out: DataBlock, levels: Levels): Unit = {
    val from = starts(Math.toIntExact(unit.rows.start))
    val slots = starts(Math.toIntExact(unit.rows.end)) - from
    val at = levels.extend(slots)
    if (repetition.nonEmpty) {
      System.arraycopy(repetition, from, levels.repetition, at, slots)
      levels.hasRepetition = true
    }
    if (definition.nonEmpty) {
      System.arraycopy(definition, from, levels.definition, at, slots)
      levels.hasDefinition = true
    }
    values.append(levels.visible(at, levels.length, layers.maxVisible), slots, Some(at), out, levels)
  }
}

private object ConstantLevels {

  /** @param buffers repetition and definition levels */
  def open(
      layout: ConstantLayout,
      layers: Layers,
      buffers: Vector[Slice],
      rows: Long,
      values: ConstantValues
  ): OpenPage = {
    if (buffers.size != 2) throw new LanceFormatException("a constant page with lists has no levels")
    val repetition = decode(buffers(0), layout.repCompression, layout.numRepValues)
    val definition = decode(buffers(1), layout.defCompression, layout.numDefValues)
    val slots = if (layers.maxRepetition > 0) repetition.length.toLong else rows
    if (definition.nonEmpty && definition.length != slots || layers.maxRepetition == 0 && repetition.nonEmpty)
      throw new LanceFormatException(
        s"${repetition.length} repetition and ${definition.length} definition levels in a page of $rows rows"
      )
    RepDef.anyDefinition(definition, 0, definition.length, layers.maxDefinition)
    val starts =
      if (layers.maxRepetition > 0) rowStarts(repetition, layers.maxRepetition, rows)
      else Array.range(0, Math.toIntExact(rows) + 1)
    new ConstantLevels(layers, repetition, definition, starts, values)
  }

  /** Decodes levels. Without a compression they are plain u16, and the message's count is ignored. */
  private def decode(buffer: Slice, compression: Option[CompressiveEncoding], count: Long): Array[Short] =
    compression match {
      case Some(encoding) =>
        if (count < 0 || count > Int.MaxValue) throw new LanceFormatException(s"$count levels in a page")
        val levels = new Fixed16Block
        Decompressors.block(encoding, ValueShape.FixedWidth(16)).decompress(buffer, count.toInt, levels)
        levels.values.take(count.toInt)
      case None =>
        val levels = new Array[Short](buffer.length / 2)
        plain(buffer, levels.length, levels, 0)
        levels
    }

  /** Reads levels that are stored as plain u16. */
  def plain(bytes: Slice, count: Int, levels: Array[Short], at: Int): Unit = {
    if (bytes.length != 2L * count) throw new LanceFormatException(s"$count levels in ${bytes.length} bytes")
    ByteBuffer
      .wrap(bytes.array, bytes.offset, bytes.length)
      .order(ByteOrder.LITTLE_ENDIAN)
      .asShortBuffer
      .get(levels, at, count)
    ()
  }

  private def rowStarts(repetition: Array[Short], max: Int, rows: Long): Array[Int] = {
    val found = RepDef.rowStarts(repetition, 0, repetition.length, max)
    if (found != rows || (repetition.nonEmpty && (repetition(0) & 0xffff) != max))
      throw new LanceFormatException(s"levels of $found rows in a page of $rows")
    val starts = new Array[Int](found + 1)
    var row = 0
    var slot = 0
    while (slot < repetition.length) {
      if ((repetition(slot) & 0xffff) == max) { starts(row) = slot; row += 1 }
      slot += 1
    }
    starts(found) = repetition.length
    starts
  }
}
