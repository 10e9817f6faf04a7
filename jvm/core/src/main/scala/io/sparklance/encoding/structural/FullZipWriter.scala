package io.sparklance.encoding.structural

import io.sparklance.data.{Column, LittleEndian, NullMask, Slice, ValueShape, VariableBlock}
import io.sparklance.encoding.physical.{FixedSizeListValues, Flat, General, Variable}
import io.sparklance.encoding.{EncodedPage, FixedValues}
import io.sparklance.proto.encodings.FullZipLayout.Details
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.proto.encodings.{
  BufferCompression,
  CompressiveEncoding,
  FullZipLayout,
  PageLayout,
  RepDefLayer
}

/** Writes the pages that [[FullZip]] describes; a control word is one byte, and only there if the page has nulls. */
private object FullZipWriter {

  def encode(column: Column, shape: ValueShape, compression: Option[BufferCompression]): EncodedPage =
    shape match {
      case list: ValueShape.FixedSizeList =>
        encodeFixed(column, FixedSizeListValues.toFixedValues(column.values, list))
      case ValueShape.FixedWidth(bits) => encodeFixed(column, Flat.toFixedValues(column.values, bits))
      case ValueShape.Struct(_) => throw new IllegalArgumentException("packed structs are not written")
      case ValueShape.VariableWidth(offsetBits) =>
        val strings = Variable.asVariable(column.values)
        val plain = Variable.encoding(offsetBits)
        compression match {
          case None => encodeVariable(column.nulls, strings, offsetBits, plain)
          case Some(scheme) =>
            val compressed = General.compressEach(scheme, strings)
            encodeVariable(column.nulls, compressed, offsetBits, General.encoding(scheme, plain))
        }
    }

  private def encodeFixed(column: Column, values: FixedValues): EncodedPage = {
    val data = if (column.nulls.hasNulls) withControlWords(column.nulls, values) else values.bytes
    val details = Details.BitsPerValue(Math.multiplyExact(values.bytesPerValue, 8))
    page(Vector(data), column.length, column.nulls, details, values.encoding)
  }

  private def withControlWords(nulls: NullMask, values: FixedValues): Slice = {
    val width = values.bytesPerValue
    val out = new Array[Byte](Math.addExact(values.bytes.length, nulls.length))
    var i = 0
    while (i < nulls.length) {
      out(i * (width + 1)) = level(nulls, i)
      System.arraycopy(values.bytes.array, values.bytes.offset + i * width, out, i * (width + 1) + 1, width)
      i += 1
    }
    Slice(out)
  }

  private def encodeVariable(
      nulls: NullMask,
      strings: VariableBlock,
      offsetBits: Int,
      encoding: CompressiveEncoding
  ): EncodedPage = {
    val ends = rowEnds(nulls, strings, offsetBits / 8)
    val out = new Array[Byte](ends.last)
    var i = 0
    while (i < strings.length) {
      var at = ends(i)
      if (nulls.hasNulls) { out(at) = level(nulls, i); at += 1 }
      if (!nulls.isNull(i)) {
        val start = strings.offsets(i)
        val size = strings.offsets(i + 1) - start
        // The upper half of a u64 stays 0.
        LittleEndian.putInt(out, at, size)
        System.arraycopy(strings.bytes, start, out, at + offsetBits / 8, size)
      }
      i += 1
    }
    val details = Details.BitsPerOffset(offsetBits)
    page(Vector(Slice(out), Slice(packed(ends))), strings.length, nulls, details, encoding)
  }

  /** 0, and where each row ends. */
  private def rowEnds(nulls: NullMask, strings: VariableBlock, lengthBytes: Int): Array[Int] = {
    val ends = new Array[Int](strings.length + 1)
    val control = if (nulls.hasNulls) 1 else 0
    var i = 0
    while (i < strings.length) {
      val value = if (nulls.isNull(i)) 0 else lengthBytes + strings.offsets(i + 1) - strings.offsets(i)
      ends(i + 1) = Math.addExact(ends(i), control + value)
      i += 1
    }
    ends
  }

  /** Offsets in the smallest width that holds the last. */
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

  private def level(nulls: NullMask, i: Int): Byte = if (nulls.isNull(i)) 1 else 0

  private def page(
      buffers: Vector[Slice],
      rows: Int,
      nulls: NullMask,
      details: Details,
      encoding: CompressiveEncoding
  ): EncodedPage = {
    val layer = if (nulls.hasNulls) RepDefLayer.REPDEF_NULLABLE_ITEM else RepDefLayer.REPDEF_ALL_VALID_ITEM
    val layout = FullZipLayout(
      bitsDef = if (nulls.hasNulls) 1 else 0,
      details = details,
      numItems = rows,
      numVisibleItems = rows,
      valueCompression = Some(encoding),
      layers = Seq(layer)
    )
    EncodedPage(buffers, PageLayout(Layout.FullZipLayout(layout)), rows.toLong)
  }
}
