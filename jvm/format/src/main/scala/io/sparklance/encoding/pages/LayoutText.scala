package io.sparklance.encoding.pages

import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.proto.encodings._

/** A page's encoding as one line, in the words of the format: layout, in it a tree of compressions, levels,
  * and the layers of nesting, innermost first. As `sparklance.inspect` writes it in Python:
  * {{{
  *   mini_block(inline_bitpacking(32)) def=out_of_line_bitpacking(16 <- flat(1)) [NULLABLE_ITEM]
  * }}}
  * A number in brackets is a width in bits, `16 <- …` what is unpacked to 16 bits.
  */
private[encoding] object LayoutText {

  /** @param buffers how many the page has */
  def of(page: PageLayout, buffers: Int): String = page.layout match {
    case Layout.MiniBlockLayout(chunks) =>
      val dictionary = named("dictionary", chunks.dictionary)
      s"mini_block(${of(chunks.getValueCompression)})" +
        levels(chunks.repCompression, chunks.defCompression) + dictionary + layers(chunks.layers)
    case Layout.FullZipLayout(values) =>
      s"full_zip(${of(values.getValueCompression)})${layers(values.layers)}"
    case Layout.ConstantLayout(one) =>
      constant(one, buffers) + levels(one.repCompression, one.defCompression) + layers(one.layers)
    case Layout.BlobLayout(blobs) => s"blob(${of(blobs.getInnerLayout, buffers)})${layers(blobs.layers)}"
    case Layout.Empty => Unknown
  }

  private def of(encoding: CompressiveEncoding): String = encoding.compression match {
    case Compression.Flat(flat) => s"flat(${flat.bitsPerValue}${scheme(flat.data)})"
    case Compression.Variable(values) => s"variable(${of(values.getOffsets)}${scheme(values.values)})"
    case Compression.Constant(one) =>
      one.value.fold("constant")(bytes => s"constant(${hex(bytes.toByteArray)})")
    case Compression.OutOfLineBitpacking(packed) =>
      s"out_of_line_bitpacking(${packed.uncompressedBitsPerValue} <- ${of(packed.getValues)})"
    case Compression.InlineBitpacking(packed) =>
      s"inline_bitpacking(${packed.uncompressedBitsPerValue}${scheme(packed.values)})"
    case Compression.Fsst(fsst) => s"fsst(${of(fsst.getValues)})"
    case Compression.Dictionary(words) => s"dictionary(${of(words.getIndices)}, ${of(words.getItems)})"
    case Compression.Rle(runs) => s"rle(${of(runs.getValues)}, ${of(runs.getRunLengths)})"
    case Compression.ByteStreamSplit(split) => s"byte_stream_split(${of(split.getValues)})"
    case Compression.General(general) =>
      s"general[${general.compression.fold(Unknown)(name)}](${of(general.getValues)})"
    case Compression.FixedSizeList(list) =>
      val validity = if (list.hasValidity) ", validity" else ""
      s"fixed_size_list[${list.itemsPerValue}$validity](${of(list.getValues)})"
    case Compression.PackedStruct(struct) =>
      s"packed_struct[${struct.bitsPerValue.mkString(", ")}](${of(struct.getValues)})"
    case Compression.VariablePackedStruct(struct) =>
      s"variable_packed_struct(${struct.fields.map(field => of(field.getValue)).mkString(", ")})"
    case Compression.Empty => Unknown
  }

  /** Two of the buffers are levels; where the value is not in the message, it is in a buffer before them. */
  private def constant(one: ConstantLayout, buffers: Int): String =
    if (one.inlineValue.isDefined) "constant(inline)"
    else if (buffers == 0 || buffers == 2) "all_null"
    else "constant(buffer)"

  private def levels(
      repetition: Option[CompressiveEncoding],
      definition: Option[CompressiveEncoding]
  ): String = named("rep", repetition) + named("def", definition)

  private def named(name: String, encoding: Option[CompressiveEncoding]): String =
    encoding.fold("")(e => s" $name=${of(e)}")

  private def layers(layers: Seq[RepDefLayer]): String = layers.map {
    case RepDefLayer.Unrecognized(number) => s"unknown $number"
    case known => known.name.stripPrefix("REPDEF_")
  }.mkString(" [", ", ", "]")

  private def scheme(compression: Option[BufferCompression]): String =
    compression.fold("")(c => s", ${name(c)}")

  private def name(compression: BufferCompression): String = compression.scheme match {
    case CompressionScheme.COMPRESSION_ALGORITHM_LZ4 => "lz4"
    case CompressionScheme.COMPRESSION_ALGORITHM_ZSTD => "zstd"
    case other => s"unknown scheme ${other.value}"
  }

  private def hex(bytes: Array[Byte]): String = bytes.map(byte => f"$byte%02x").mkString

  /** A choice of which no known case is set. */
  private[encoding] val Unknown = "unknown"
}
