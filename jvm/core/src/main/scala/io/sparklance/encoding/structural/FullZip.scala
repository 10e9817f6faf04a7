package io.sparklance.encoding.structural

import io.sparklance.data.{ByteRange, Column, LittleEndian, ValueShape}
import io.sparklance.encoding.{Decompressors, EncodedPage, PageDecoder}
import io.sparklance.proto.encodings.FullZipLayout.Details
import io.sparklance.proto.encodings.{BufferCompression, FullZipLayout}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Full-zip pages: for large values, each of which is stored next to its level, so that a row is one read.
  *
  * {{{
  * page buffers   rows back to back | repetition index, if values vary in width
  *
  * row            control word, if the page has nulls: the definition level, u8 up to 8 bits, else u16
  *                fixed width    the value, whatever it is under a null
  *                varying width  nothing if null; else u32 or u64 length | bytes
  *
  * index          where each row starts in the first buffer, and where the last one ends: u8, u16, u32 or u64
  * }}}
  */
object FullZip {

  def decoder(
      layout: FullZipLayout,
      buffers: Vector[ByteRange],
      rows: Long,
      shape: ValueShape
  ): PageDecoder = {
    check(layout, rows)
    val controls = new ControlWords(layout.bitsDef, RepDef.maxDefinition(layout.layers))
    layout.details match {
      case Details.BitsPerValue(bits) =>
        expectBuffers(buffers, 1)
        val values = Decompressors.fixedValues(layout.getValueCompression, shape)
        if (bits != values.bytesPerValue * 8L)
          throw new LanceFormatException(s"values of $bits bits in a column of $shape")
        FullZipFixedPage(controls, values, buffers(0), rows)
      case Details.BitsPerOffset(bits) =>
        expectBuffers(buffers, 2)
        if (bits != 32 && bits != 64)
          throw new UnsupportedLanceFeatureException(s"full-zip values with a length of $bits bits")
        val values = Decompressors.perValue(layout.getValueCompression, shape)
        new FullZipVariableDecoder(controls, bits / 8, values, buffers(0), buffers(1), rows)
      case Details.Empty =>
        throw new LanceFormatException("a full-zip page does not say how wide its values are")
    }
  }

  /** @param compression for strings, each of which is compressed for itself */
  def encode(column: Column, shape: ValueShape, compression: Option[BufferCompression]): EncodedPage =
    FullZipWriter.encode(column, shape, compression)

  private def check(layout: FullZipLayout, rows: Long): Unit = {
    RepDef.refuseLists(layout.layers)
    if (layout.bitsRep != 0) throw new UnsupportedLanceFeatureException("repetition levels (lists)")
    val items = Integer.toUnsignedLong(layout.numItems)
    val visible = Integer.toUnsignedLong(layout.numVisibleItems)
    if (items != rows || visible != rows)
      throw new LanceFormatException(s"$items slots with $visible values in a page of $rows rows")
  }

  private def expectBuffers(buffers: Vector[ByteRange], n: Int): Unit =
    if (buffers.length != n)
      throw new LanceFormatException(s"a full-zip page of ${buffers.length} buffers, not $n")
}

/** The levels in front of the values.
  *
  * @param max the highest level that the page's layers explain
  */
final private[structural] class ControlWords(bits: Int, max: Int) {
  if (bits < 0 || bits > 16) throw new LanceFormatException(s"definition levels of $bits bits")

  val width: Int = (bits + 7) / 8

  /** The definition level at `at`; 0 in a page without control words. */
  def definition(bytes: Array[Byte], at: Int): Short = {
    val level = width match {
      case 0 => 0
      case 1 => LittleEndian.unsignedByte(bytes, at)
      case _ => LittleEndian.unsignedShort(bytes, at)
    }
    if (level > max)
      throw new LanceFormatException(s"definition level $level in a page whose layers go up to $max")
    level.toShort
  }
}
