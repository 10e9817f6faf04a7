package io.sparklance.encoding.structural

import io.sparklance.data.{Column, LittleEndian, Slice, ValueShape, VariableBlock}
import io.sparklance.encoding.physical.{FixedSizeListValues, Flat, Variable}
import io.sparklance.encoding.{EncodedPage, FixedValues, PerValueCompressor, Slots}
import io.sparklance.proto.encodings.FullZipLayout.Details
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.proto.encodings.{CompressiveEncoding, FullZipLayout, PageLayout}

/** Writes the pages that [[FullZip]] describes.
  *
  * @param column
  *   the values of the visible slots
  */
final private class FullZipWriter(column: Column, slots: Slots) {
  private val repetitionBits = FullZipWriter.bits(slots.layers.maxRepetition)
  private val definitionBits = FullZipWriter.bits(slots.layers.maxDefinition)
  private val controls = new ControlWords(repetitionBits, definitionBits, slots.layers)

  def encode(shape: ValueShape, compressor: Option[PerValueCompressor]): EncodedPage = shape match {
    case list: ValueShape.FixedSizeList => encodeFixed(FixedSizeListValues.toFixedValues(column.values, list))
    case ValueShape.FixedWidth(bits) => encodeFixed(Flat.toFixedValues(column.values, bits))
    case ValueShape.Struct(_) => throw new IllegalArgumentException("packed structs come encoded")
    case ValueShape.VariableWidth(offsetBits) =>
      val encoded = compressor
        .getOrElse(Variable.perValueCompressor(offsetBits))
        .compress(Variable.asVariable(column.values))
      encodeVariable(encoded.strings, offsetBits, encoded.encoding)
  }

  private def encodeFixed(values: FixedValues): EncodedPage = {
    val details = Details.BitsPerValue(Math.multiplyExact(values.bytesPerValue, 8))
    if (controls.width == 0) page(Vector(values.bytes), details, values.encoding)
    else {
      val width = values.bytesPerValue
      val out =
        new Array[Byte](Math.addExact(values.bytes.length, Math.multiplyExact(slots.length, controls.width)))
      val starts = writeSlots(out) { (value, at) =>
        System.arraycopy(values.bytes.array, values.bytes.offset + value * width, out, at, width)
        width
      }
      val index = slots.repetition.map(_ => Slice(packed(starts)))
      page(Slice(out) +: index.toVector, details, values.encoding)
    }
  }

  def encodeVariable(
      strings: VariableBlock,
      offsetBits: Int,
      encoding: CompressiveEncoding
  ): EncodedPage = {
    val lengthBytes = offsetBits / 8
    val valid = column.length - column.nulls.count
    val size = slots.length.toLong * controls.width + valid.toLong * lengthBytes + strings.byteLength
    val out = new Array[Byte](Math.toIntExact(size))
    val starts = writeSlots(out) { (value, at) =>
      if (column.nulls.isNull(value)) 0
      else {
        val start = strings.offsets(value)
        val size = strings.offsets(value + 1) - start
        // The upper half of a u64 stays 0.
        LittleEndian.putInt(out, at, size)
        System.arraycopy(strings.bytes, start, out, at + lengthBytes, size)
        lengthBytes + size
      }
    }
    val data = Slice(out, 0, starts.last)
    page(Vector(data, Slice(packed(starts))), Details.BitsPerOffset(offsetBits), encoding)
  }

  /** Writes all slots. `writeValue` gets the number of a value and its position, and returns its size in
    * bytes. Returns the start of each row, and the end of the last one.
    */
  private def writeSlots(out: Array[Byte])(writeValue: (Int, Int) => Int): Array[Int] = {
    val starts = new Array[Int](slots.rows + 1)
    var row = 0
    var value = 0
    var at = 0
    var slot = 0
    while (slot < slots.length) {
      if (slots.startsRow(slot)) { starts(row) = at; row += 1 }
      controls.write(slots.repetitionAt(slot), slots.definitionAt(slot), out, at)
      at += controls.width
      if (slots.isVisible(slot)) {
        at += writeValue(value, at)
        value += 1
      }
      slot += 1
    }
    starts(row) = at
    starts
  }

  /** Packs offsets in the smallest width that holds the last. */
  private def packed(ends: Array[Int]): Array[Byte] = {
    val width = if (ends.last < 0x100) 1 else if (ends.last < 0x10000) 2 else 4
    val out = new Array[Byte](Math.multiplyExact(ends.length, width))
    var i = 0
    while (i < ends.length) {
      width match {
        case 1 => out(i) = ends(i).toByte
        case 2 => LittleEndian.putShort(out, 2 * i, ends(i).toShort)
        case _ => LittleEndian.putInt(out, 4 * i, ends(i))
      }
      i += 1
    }
    out
  }

  private def page(buffers: Vector[Slice], details: Details, encoding: CompressiveEncoding): EncodedPage = {
    val layout = FullZipLayout(
      bitsRep = repetitionBits,
      bitsDef = definitionBits,
      details = details,
      numItems = slots.length,
      numVisibleItems = column.length,
      valueCompression = Some(encoding),
      layers = slots.kinds
    )
    EncodedPage(buffers, PageLayout(Layout.FullZipLayout(layout)), slots.rows.toLong)
  }
}

private object FullZipWriter {
  private def bits(level: Int): Int = 32 - Integer.numberOfLeadingZeros(level)
}
