package io.sparklance.encoding.structural

import io.sparklance.data.{ByteRange, Column, LittleEndian, RowRanges, ValueShape}
import io.sparklance.encoding.compression.Decompressors
import io.sparklance.encoding.physical.{FixedSlots, SlotValues, VariableSlots}
import io.sparklance.encoding.{EncodedPage, Layers, PageDecoder, PerValueCompressor, PerValueStrings, Slots}
import io.sparklance.proto.encodings.FullZipLayout
import io.sparklance.proto.encodings.FullZipLayout.Details
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Full-zip pages: a layout of large values that stores each value next to its levels, so that a row is one
  * read.
  *
  * {{{
  * page buffers   slots back to back | repetition index, if values vary in width or there are lists
  *
  * slot           control word, if the page has levels: repetition << bits of the definition | definition,
  *                    u8 up to 8 bits, u16 up to 16, else u32
  *                nothing if the slot stands for a null or empty list; else
  *                fixed width    the value; any bytes under a null
  *                varying width  nothing if null; else u32 or u64 length | bytes
  *
  * index          start of each row in the first buffer, and end of the last one: u8, u16, u32 or u64
  * }}}
  */
private[sparklance] object FullZip {

  /** @param wanted the only rows that will be asked for */
  def decoder(
      layout: FullZipLayout,
      buffers: Vector[ByteRange],
      rows: Long,
      wanted: RowRanges,
      shape: ValueShape
  ): PageDecoder = {
    val layers = Layers.parse(layout.layers)
    check(layout, layers, rows)
    val controls = new ControlWords(layout.bitsRep, layout.bitsDef, layers)
    layout.details match {
      case Details.BitsPerValue(bits) =>
        val values = Decompressors.fixedValues(layout.getValueCompression, shape)
        if (bits != values.bytesPerValue * 8L)
          throw new LanceFormatException(s"values of $bits bits in a column of $shape")
        if (layers.maxRepetition == 0) {
          expectBuffers(buffers, 1)
          FullZipFixedPage(controls, values, buffers(0), rows)
        } else indexed(controls, new FixedSlots(values), buffers, rows, wanted)
      case Details.BitsPerOffset(bits) =>
        if (bits != 32 && bits != 64)
          throw new UnsupportedLanceFeatureException(s"full-zip values with a length of $bits bits")
        val values = Decompressors.perValue(layout.getValueCompression, shape)
        indexed(controls, new VariableSlots(bits / 8, values), buffers, rows, wanted)
      case Details.Empty =>
        throw new LanceFormatException("a full-zip page does not say how wide its values are")
    }
  }

  private def indexed(
      controls: ControlWords,
      values: SlotValues,
      buffers: Vector[ByteRange],
      rows: Long,
      wanted: RowRanges
  ): PageDecoder = {
    expectBuffers(buffers, 2)
    val index = RowOffsets.stored(buffers(1), rows, wanted)
    new FullZipIndexedDecoder(controls, values, buffers(0), index)
  }

  /** @param compressor for strings; without one they are stored uncompressed */
  def encode(
      column: Column,
      shape: ValueShape,
      slots: Slots,
      compressor: Option[PerValueCompressor]
  ): EncodedPage = new FullZipWriter(column, slots).encode(shape, compressor)

  /** @param structs the structs of `column`, one by one */
  def encodePacked(column: Column, structs: PerValueStrings, slots: Slots): EncodedPage =
    new FullZipWriter(column, slots).encodeVariable(structs.strings, offsetBits = 32, structs.encoding)

  private def check(layout: FullZipLayout, layers: Layers, rows: Long): Unit = {
    val hasLists = layers.maxRepetition > 0
    if (layout.bitsRep > 0 != hasLists)
      throw new LanceFormatException(
        s"repetition levels of ${layout.bitsRep} bits for ${layers.maxRepetition} layers of lists"
      )
    val items = Integer.toUnsignedLong(layout.numItems)
    val visible = Integer.toUnsignedLong(layout.numVisibleItems)
    if (if (hasLists) items < rows || items < visible else items != rows || visible != rows)
      throw new LanceFormatException(s"$items slots with $visible values in a page of $rows rows")
  }

  private def expectBuffers(buffers: Vector[ByteRange], n: Int): Unit =
    if (buffers.length != n)
      throw new LanceFormatException(s"a full-zip page of ${buffers.length} buffers, not $n")
}

/** The levels in front of the values. */
final private[structural] class ControlWords(repetitionBits: Int, definitionBits: Int, val layers: Layers) {
  if (repetitionBits < 0 || repetitionBits > 16 || definitionBits < 0 || definitionBits > 16)
    throw new LanceFormatException(s"levels of $repetitionBits and $definitionBits bits")

  val width: Int = repetitionBits + definitionBits match {
    case 0 => 0
    case bits if bits <= 8 => 1
    case bits if bits <= 16 => 2
    case _ => 4
  }

  /** Returns both levels at `at`; 0 in a page without control words. */
  def read(bytes: Array[Byte], at: Int): Int = width match {
    case 0 => 0
    case 1 => LittleEndian.unsignedByte(bytes, at)
    case 2 => LittleEndian.unsignedShort(bytes, at)
    case _ => LittleEndian.int(bytes, at)
  }

  def write(repetition: Int, definition: Int, bytes: Array[Byte], at: Int): Unit = {
    val word = repetition << definitionBits | definition
    width match {
      case 0 => ()
      case 1 => bytes(at) = word.toByte
      case 2 => LittleEndian.putShort(bytes, at, word.toShort)
      case _ => LittleEndian.putInt(bytes, at, word)
    }
  }

  def repetition(word: Int): Int = word >>> definitionBits

  def definition(word: Int): Int = {
    val level = word & (1 << definitionBits) - 1
    if (level > layers.maxDefinition)
      throw new LanceFormatException(
        s"definition level $level in a page whose layers go up to ${layers.maxDefinition}"
      )
    level
  }
}
